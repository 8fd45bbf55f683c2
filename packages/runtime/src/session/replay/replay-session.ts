import type { Platform } from "../../ports/platform.ts";
import type { Tool } from "../../tools/tool.ts";
import { encodeEvents } from "../log/codec.ts";
import type { SessionEvent } from "../log/events.ts";
import { SessionState } from "../state/state.ts";
import { replayRun } from "./replay-run.ts";
import { type Recording, readRecording, type ReplaySource } from "./recording.ts";
import { ReplayCursor } from "./replay-cursor.ts";

export interface ReplayOptions {
  /** The last entry that is replayed, by its `seq`; all of them when omitted. */
  until?: number | undefined;
  /**
   * `recorded` (default): tools have the results of the record, and nothing is touched. `run`: those of `toolset` run on
   * the platform's files and shell, which should be a copy such as an `OverlayFileSystem`, and their results are compared.
   */
  tools?: "recorded" | "run" | undefined;
  toolset?: readonly Tool[] | undefined;
}

/** The outcome of a replay. */
export interface ReplayResult {
  sessionId: string;
  /**
   * Number of the first event that was replayed: the log lacks entries before it, and the session had been resumed since. What stands before is as it was recorded. 1 for every log that is whole.
   */
  replayedFrom: number;
  /** As they were produced again, with the ids and times of the record. */
  events: readonly SessionEvent[];
  /** The same as the records of a log, without line feeds. Two replays are equal to the byte. */
  records: readonly Uint8Array[];
  /** What the session is behind the last of them. */
  state: SessionState;
}

/**
 * Runs a recorded session again without a model: its own loop, rules of order, fold and log, with answers, decisions,
 * outcomes of hooks, time and ids from the record. Nothing of the platform is used, unless tools run.
 *
 * What belongs together by an id there must belong together here; which ids those are is the record's matter, and so are
 * times, durations, estimates of tokens and prices.
 *
 * @throws {ReplayDivergence} `REPLAY_DIVERGED` at the first event that is not what was recorded
 * @throws {SessionError} `NOT_FOUND` without a record, `LOG_VERSION`; `LOG_CORRUPT` when a record can't be read and the session
 * was not opened since
 * @throws {ValidationError} for a source that is no session
 */
export async function replaySession(
  source: ReplaySource,
  platform: Platform,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const recording = await readRecording(source);
  const cursor = new ReplayCursor(recording, options.until);
  const init = recording.events.find((event) => event.type === "session_init");
  const running = options.tools === "run" ? { tools: options.toolset ?? [], platform } : undefined;
  while (!cursor.isOver) await replayRun(cursor, { init, running });
  if (cursor.failure) throw cursor.failure;
  const state = new SessionState();
  for (const event of cursor.aligned) state.apply(event);
  const { sessionId, events: recorded, replayableFrom = 0 } = recording;
  const events = cursor.aligned;
  const replayedFrom = replayableFrom === 0 ? 1 : (recorded[replayableFrom]?.seq ?? 1);
  return { sessionId, replayedFrom, events, records: recordsOf(recording, events), state };
}

/** In records as the source has them. */
function recordsOf({ recordLengths }: Recording, events: readonly SessionEvent[]): Uint8Array[] {
  const records: Uint8Array[] = [];
  let at = 0;
  const whole = [{ length: events.length, prev: 0, epoch: 0 }];
  for (const { length, prev, epoch } of recordLengths ?? whole) {
    if (at >= events.length) break;
    const part = events.slice(at, at + length);
    for (const { bytes } of encodeEvents(part, prev, epoch)) records.push(bytes);
    at += length;
  }
  return records;
}
