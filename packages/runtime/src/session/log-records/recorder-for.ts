import { errorFacts } from "../../errors.ts";
import type { Tool } from "../../tools/tool.ts";
import type { SessionCore } from "../core.ts";
import type { SessionLog } from "../log.ts";
import { isWebSearchOffered } from "../native-web.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionState } from "../state.ts";
import { SessionRecorder } from "./recorder.ts";

export interface RecordedSession {
  log: SessionLog;
  state: SessionState;
  tools: ReadonlyMap<string, Tool>;
  core: () => SessionCore;
}

/** The recorder of a session that has a logger. The state must be told of each event before. */
export function recorderFor(
  { logger, redactor, provider }: SessionOptions,
  sessionId: string,
  { log, state, tools, core }: RecordedSession,
): SessionRecorder | undefined {
  if (!logger) return undefined;
  const recorder = new SessionRecorder({
    sessionId,
    logger,
    redactor,
    state,
    provider,
    tools,
    nativeWeb: () => ({
      available: core().nativeWeb?.webSearch ?? false,
      enabled: isWebSearchOffered(core()),
    }),
    onFailure: (error) => {
      const data = { ...errorFacts(error) };
      log.stream({ type: "note", kind: "logger-failed", data }, { transient: true });
    },
  });
  log.subscribe((event, isTransient) => {
    if (!isTransient) recorder.apply(event);
  });
  return recorder;
}
