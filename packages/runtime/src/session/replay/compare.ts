import type { SessionEvent } from "../events.ts";
import type { IdMap } from "./id-map.ts";

export interface Difference {
  /** JSON Pointer. */
  path: string;
  expected: unknown;
  found: unknown;
}

/**
 * What no second run can repeat, or what depends on things outside of the record: times and durations, token counts that
 * are estimates, the prices of the day, and where a session came from. The record's value counts.
 */
const FROM_RECORD: Readonly<Partial<Record<SessionEvent["type"], readonly string[]>>> = {
  user_message: ["/message/timestamp"],
  assistant_message: ["/message/timestamp"],
  tool_end: ["/message/timestamp", "/outcome/durationMs"],
  tool_results_cleared: ["/after"],
  turn_end: ["/cost"],
  session_init: ["/origin", "/files"],
};

/** The produced event with the ids and times of the recorded one, or where the two differ. */
export function alignEvent(
  recorded: SessionEvent,
  produced: SessionEvent,
  ids: IdMap,
): { event: SessionEvent } | { difference: Difference } {
  const fromRecord = new Set(["/time", "/sessionId", ...(FROM_RECORD[recorded.type] ?? [])]);
  const differences: Difference[] = [];
  const align = (expected: unknown, found: unknown, path: string): unknown => {
    if (differences.length > 0) return found;
    if (fromRecord.has(path)) return expected;
    if (typeof found === "string" && typeof expected === "string" && ids.isOwn(found)) {
      if (ids.matches(found, expected)) return expected;
    } else if (found instanceof Date && expected instanceof Date) {
      if (found.getTime() === expected.getTime()) return expected;
    } else if (Array.isArray(found) && Array.isArray(expected)) {
      const length = Math.max(found.length, expected.length);
      return Array.from({ length }, (_, at) => align(expected[at], found[at], `${path}/${at}`));
    } else if (isRecord(found) && isRecord(expected)) {
      return alignFields(expected, found, path);
    } else if (Object.is(found, expected)) {
      return expected;
    }
    differences.push({ path, expected, found });
    return found;
  };
  const alignFields = (
    expected: Record<string, unknown>,
    found: Record<string, unknown>,
    path: string,
  ): Record<string, unknown> => {
    const aligned: Record<string, unknown> = {};
    for (const name of namesOf(found, expected)) {
      const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (fromRecord.has(at) && !has(expected, name)) continue;
      const value = align(expected[name], found[name], at);
      if (has(found, name) || has(expected, name)) aligned[name] = value;
    }
    return aligned;
  };
  const event = align(recorded, produced, "");
  const [difference] = differences;
  // What has passed has the recorded event's shape.
  return difference ? { difference } : { event: event as SessionEvent };
}

/** Names of both: those that only the record has stand where they stand there, behind the name before them. */
function namesOf(found: Record<string, unknown>, expected: Record<string, unknown>): string[] {
  const names = Object.keys(found).filter((name) => found[name] !== undefined);
  const order = Object.keys(expected).filter((name) => expected[name] !== undefined);
  for (const [at, name] of order.entries()) {
    if (names.includes(name)) continue;
    const before = order[at - 1];
    names.splice(before === undefined ? 0 : names.indexOf(before) + 1, 0, name);
  }
  return names;
}

function has(fields: Record<string, unknown>, name: string): boolean {
  return Object.hasOwn(fields, name) && fields[name] !== undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}
