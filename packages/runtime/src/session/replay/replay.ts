import type { Platform } from "../../ports/platform.ts";
import { encodeEvents } from "../log/encode-events.ts";
import type { SessionEvent } from "../log/events.ts";
import { SessionState } from "../state/state.ts";
import { replayRun } from "./replay-run.ts";
import { type Recording, readRecording, type ReplaySource } from "./recording.ts";
import { ReplayCursor } from "./replay-cursor.ts";
import type { ReplayOptions, ReplayResult } from "./replay-session.ts";

/** Implements `replaySession`. */
export async function replay(
  source: ReplaySource,
  platform: Platform,
  options: ReplayOptions,
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

/** Events as records with the boundaries of the source. */
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
