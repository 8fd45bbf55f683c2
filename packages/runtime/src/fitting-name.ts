import { crc32 } from "./crc32.ts";

const encoder = new TextEncoder();

/** A service's rule for the names of tools or the ids of calls. */
export interface NameRule {
  maxLength: number;
  /** Matches the characters that the service rejects. */
  rejected: RegExp;
}

/** The rule for the names of tools that all services have in common; those of this project's tools fit. */
const TOOL: NameRule = { maxLength: 64, rejected: /[^A-Za-z0-9_-]/g };

/**
 * The name of a called tool as every service accepts it. A model may have made the name up, and a service that rejects it
 * would reject every later request of the conversation.
 */
export function fittingToolName(name: string): string {
  return fittingName(name === "" ? "unnamed" : name, TOOL);
}

/**
 * A name as a service accepts it: the same where it fits, else one made from it, which differs whenever the original
 * differs.
 */
export function fittingName(name: string, { maxLength, rejected }: NameRule): string {
  const fitting = name.replace(rejected, "_");
  if (fitting === name && name.length <= maxLength) return name;
  const mark = crc32(encoder.encode(name)).toString(16).padStart(8, "0");
  return `${fitting.slice(0, maxLength - mark.length - 1)}_${mark}`;
}
