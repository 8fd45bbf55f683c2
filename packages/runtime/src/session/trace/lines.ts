import { LOG_ENTRY_FORMAT, type SessionLogEntry } from "./entry.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses one line of a log, or explains the failure. */
export function parseLine(
  bytes: Uint8Array,
): { entry: SessionLogEntry; problem?: never } | { entry?: never; problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    return { problem: "no JSON" };
  }
  if (!isObject(value)) return { problem: "no object" };
  const { v, timestamp, sessionId, event, data } = value;
  if (typeof v === "number" && v > LOG_ENTRY_FORMAT) return { problem: `format ${v} is newer` };
  const isEntry =
    typeof v === "number" &&
    typeof timestamp === "string" &&
    typeof sessionId === "string" &&
    typeof event === "string" &&
    isObject(data);
  if (!isEntry) return { problem: "no v, timestamp, sessionId, event or data" };
  return { entry: { ...value, v, timestamp, sessionId, event, data } };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
