import type { Platform } from "../../ports/platform.ts";
import type { Tool } from "../../tools/tool.ts";
import type { SessionEvent } from "../log/events.ts";
import type { SessionState } from "../state/state.ts";
import type { ReplaySource } from "./recording.ts";

export interface ReplayOptions {
  /** The last replayed entry, by its `seq`; all of them when omitted. */
  until?: number | undefined;
  /**
   * `recorded` (default): tools return their recorded results, and nothing is touched. `run`: those of `toolset` run on
   * the platform's files and shell, which should be a copy such as an `OverlayFileSystem`, and their results are
   * compared.
   */
  tools?: "recorded" | "run" | undefined;
  toolset?: readonly Tool[] | undefined;
}

/** The outcome of a replay. */
export interface ReplayResult {
  sessionId: string;
  /**
   * Number of the first replayed event; later than 1 when the log lacks entries before it and the session has been
   * resumed since. Earlier events are returned as recorded. 1 for every complete log.
   */
  replayedFrom: number;
  /** The reproduced events, with the ids and times of the recording. */
  events: readonly SessionEvent[];
  /** The same as log records, without line feeds. Two replays are byte-identical. */
  records: readonly Uint8Array[];
  /** The session's state after the last of them. */
  state: SessionState;
}

/**
 * Runs a recorded session again without a model: its own loop, ordering, fold and log, with answers, decisions, hook
 * results, time and ids from the recording. Nothing of the platform is used, unless tools run.
 *
 * Events related by an id in the recording must be related in the replay; the ids themselves are taken from the
 * recording, and so are times, durations, estimates of tokens and prices.
 *
 * @throws {ReplayDivergence} `REPLAY_DIVERGED` at the first event that differs from the recorded one
 * @throws {SessionError} `NOT_FOUND` without a record, `LOG_VERSION`; `LOG_CORRUPT` when a record can't be read and the
 * session has not been opened since
 * @throws {ValidationError} for a source that is not a session
 */
export async function replaySession(
  source: ReplaySource,
  platform: Platform,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  // Pages load the replay, which needs all of a session, only for those who ask for one.
  const { replay } = await import("./replay.ts");
  return replay(source, platform, options);
}
