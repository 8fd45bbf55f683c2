import { errorFacts } from "../../errors.ts";
import type { Tool } from "../../tools/tool.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";
import type { RequestContext } from "../state/request-context.ts";
import type { SessionState } from "../state/state.ts";
import { isWebSearchOffered, type NativeWebParts } from "../turn/native-web.ts";
import type { SessionLogger } from "./logger.ts";
import { SessionTracer } from "./tracer.ts";

export interface TracerParts extends NativeWebParts {
  readonly sessionId: string;
  readonly options: Pick<SessionOptions, "provider" | "redactor">;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly log: SessionLog;
  readonly state: SessionState;
  readonly requestContext: RequestContext;
}

/** Creates the tracer of a session that has a logger. The state must apply each event first. */
export function createTracer(parts: TracerParts, logger: SessionLogger): SessionTracer {
  const { log, state, tools, options, sessionId } = parts;
  const { redactor } = options;
  const tracer = new SessionTracer({
    sessionId,
    logger,
    redactor,
    state,
    get provider() {
      return options.provider;
    },
    tools,
    maxTokens: () => parts.requestContext.tracker.maxTokens,
    nativeWeb: () => ({
      available: parts.nativeWeb?.webSearch ?? false,
      enabled: isWebSearchOffered(parts),
    }),
    onFailure: (error) => {
      const data = { ...errorFacts(error) };
      log.stream({ type: "note", kind: "logger-failed", data }, { transient: true });
    },
  });
  log.subscribe((event, isTransient) => {
    if (!isTransient) tracer.apply(event);
  });
  return tracer;
}
