import type { SessionEvent } from "../log/events.ts";
import type { IdMap } from "./id-map.ts";

export interface EventDifference {
  /** JSON Pointer. */
  path: string;
  expected: unknown;
  found: unknown;
}

/** Fields whose recorded value counts, by name: as a whole, or some of theirs. */
interface Taken {
  readonly [name: string]: true | Taken;
}

const TAKEN: Taken = { time: true, sessionId: true };
/** Fields of an error besides its code and message; earlier versions recorded fewer. */
const TAKEN_OF_ERROR: Taken = {
  hint: true,
  category: true,
  recoverable: true,
  provider: true,
  status: true,
  retryAfterMs: true,
};
const TAKEN_OF_MESSAGE: Taken = { ...TAKEN, message: { timestamp: true } };
/**
 * Fields that no second run can repeat, or that depend on things outside of the record: times and durations, estimated
 * token counts, the prices of the day, and a session's origin.
 */
const TAKEN_BY_TYPE: Readonly<Partial<Record<SessionEvent["type"], Taken>>> = {
  user_message: TAKEN_OF_MESSAGE,
  assistant_message: { ...TAKEN, message: { timestamp: true, error: TAKEN_OF_ERROR } },
  tool_end: { ...TAKEN_OF_MESSAGE, outcome: { durationMs: true } },
  tool_results_cleared: { ...TAKEN, after: true },
  turn_end: { ...TAKEN, cost: true, error: TAKEN_OF_ERROR },
  note: { ...TAKEN, data: TAKEN_OF_ERROR },
  session_init: { ...TAKEN, origin: true, files: true },
};

/** The produced event with the ids and times of the recorded one, or where the two differ. */
export function alignEvent(
  recorded: SessionEvent,
  produced: SessionEvent,
  ids: IdMap,
): { event: SessionEvent } | { difference: EventDifference } {
  const aligning = new Aligning(ids);
  const event = aligning.value(recorded, produced, TAKEN_BY_TYPE[recorded.type] ?? TAKEN);
  const { difference } = aligning;
  // A passing event has the recorded event's shape.
  return difference ? { difference } : { event: event as SessionEvent };
}

type Fields = Record<string, unknown>;

class Aligning {
  readonly #ids: IdMap;
  /** The first; its path is put together on the way back to the event. */
  difference: EventDifference | undefined;

  constructor(ids: IdMap) {
    this.#ids = ids;
  }

  /** The recorded value itself wherever nothing but its place among other fields can differ. */
  value(expected: unknown, found: unknown, taken?: Taken): unknown {
    if (typeof found === "string" && typeof expected === "string" && this.#ids.isOwn(found)) {
      if (this.#ids.matches(found, expected)) return expected;
    } else if (found instanceof Date && expected instanceof Date) {
      if (found.getTime() === expected.getTime()) return expected;
    } else if (Array.isArray(found) && Array.isArray(expected)) {
      return this.#items(expected, found);
    } else if (isRecord(found) && isRecord(expected)) {
      return this.#fields(expected, found, taken);
    } else if (Object.is(found, expected)) {
      return expected;
    }
    this.difference = { path: "", expected, found };
    return found;
  }

  #items(expected: readonly unknown[], found: readonly unknown[]): readonly unknown[] {
    const items: unknown[] = [];
    let isRecorded = true;
    for (let at = 0; at < Math.max(expected.length, found.length); at++) {
      items.push(this.#within(String(at), expected[at], found[at]));
      if (this.difference) return found;
      isRecorded &&= items[at] === expected[at];
    }
    return isRecorded ? expected : items;
  }

  #fields(expected: Fields, found: Fields, taken: Taken | undefined): Fields {
    const names = namesOf(found);
    const recorded = namesOf(expected);
    const isSameOrder =
      names.length === recorded.length && names.every((name, at) => name === recorded[at]);
    if (!isSameOrder) insertMissing(names, recorded);
    const aligned: Fields = {};
    let isRecorded = isSameOrder;
    for (const name of names) {
      const of = taken?.[name];
      if (of === true) {
        if (expected[name] !== undefined) aligned[name] = expected[name];
        continue;
      }
      aligned[name] = this.#within(name, expected[name], found[name], of);
      if (this.difference) return found;
      isRecorded &&= aligned[name] === expected[name];
    }
    return isRecorded ? expected : aligned;
  }

  #within(name: string, expected: unknown, found: unknown, taken?: Taken): unknown {
    const value = this.value(expected, found, taken);
    if (this.difference) {
      const segment = name.replaceAll("~", "~0").replaceAll("/", "~1");
      this.difference.path = `/${segment}${this.difference.path}`;
    }
    return value;
  }
}

/** Inserts names that only the record has at their recorded position. */
function insertMissing(names: string[], recorded: readonly string[]): void {
  for (const [at, name] of recorded.entries()) {
    if (names.includes(name)) continue;
    const before = recorded[at - 1];
    names.splice(before === undefined ? 0 : names.indexOf(before) + 1, 0, name);
  }
}

function namesOf(fields: Fields): string[] {
  const names = Object.keys(fields);
  return names.some((name) => fields[name] === undefined)
    ? names.filter((name) => fields[name] !== undefined)
    : names;
}

function isRecord(value: unknown): value is Fields {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}
