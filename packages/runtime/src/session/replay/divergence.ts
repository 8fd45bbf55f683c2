import { RobotaError } from "../../errors.ts";
import { redact } from "../../messages/redact.ts";
import type { SessionEvent } from "../log/events.ts";
import type { EventDifference } from "./compare.ts";

/** Maximum characters of a value in an error. */
const SHOWN_LENGTH = 300;

/** The first difference between a replay and its record. */
export class ReplayDivergence extends RobotaError {
  override readonly name = "ReplayDivergence" as const;
  declare readonly code: "REPLAY_DIVERGED";
  /** Number of the recorded event; 0 when the record has no such event. */
  readonly seq: number;
  readonly type: SessionEvent["type"];
  /** A JSON Pointer into the event; empty for the event as a whole. */
  readonly path: string;
  /** Both as JSON, shortened and redacted; `nothing` for a missing one. */
  readonly expected: string;
  readonly found: string;

  constructor(
    entry: Pick<SessionEvent, "seq" | "type">,
    { path, expected, found }: EventDifference,
  ) {
    const shown = { expected: textOf(expected), found: textOf(found) };
    const place = path === "" ? "" : ` at ${path}`;
    super(
      `Entry ${entry.seq} (${entry.type}) of the record${place}: recorded ${shown.expected}, replayed ${shown.found}`,
      {
        code: "REPLAY_DIVERGED",
        category: "user",
        recoverable: false,
        hint: "Replay with the version that recorded it, or with the same files and tools when tools run.",
      },
    );
    this.seq = entry.seq;
    this.type = entry.type;
    this.path = path;
    this.expected = shown.expected;
    this.found = shown.found;
  }
}

function textOf(value: unknown): string {
  const text = value === undefined ? "nothing" : redact(JSON.stringify(value));
  if (text.length <= SHOWN_LENGTH) return text;
  return `${text.slice(0, SHOWN_LENGTH).toWellFormed()}… (${text.length} characters)`;
}
