import { crc32 } from "../crc32.ts";

const encoder = new TextEncoder();

/** A service's rule for the ids of calls. */
export interface CallIdRule {
  maxLength: number;
  /** Matches the characters that the service rejects. */
  rejected: RegExp;
}

/**
 * A call's id as a service accepts it: the same for every id of its own, and for another service's id that it would reject
 * one made from it, which differs whenever the original differs.
 */
export function callIdFor(id: string, { maxLength, rejected }: CallIdRule): string {
  const fitting = id.replace(rejected, "_");
  if (fitting === id && id.length <= maxLength) return id;
  const mark = crc32(encoder.encode(id)).toString(16).padStart(8, "0");
  return `${fitting.slice(0, maxLength - mark.length - 1)}_${mark}`;
}
