import { errorFacts } from "../../errors.ts";
import type { SessionCore } from "../core.ts";
import { isWebSearchOffered } from "../turn/native-web.ts";
import type { SessionLogger } from "./logger.ts";
import { SessionTracer } from "./tracer.ts";

/** The recorder of a session that has a logger. The state must be told of each event before. */
export function recorderFor(core: SessionCore, logger: SessionLogger): SessionTracer {
  const { log, state, tools, options, sessionId } = core;
  const { redactor, provider } = options;
  const recorder = new SessionTracer({
    sessionId,
    logger,
    redactor,
    state,
    provider,
    tools,
    maxTokens: () => core.view.tracker.maxTokens,
    nativeWeb: () => ({
      available: core.nativeWeb?.webSearch ?? false,
      enabled: isWebSearchOffered(core),
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
