import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";
import type { RequestContext } from "./request-context.ts";

export interface ContextReportParts {
  readonly options: Pick<SessionOptions, "onContextUpdate">;
  readonly log: SessionLog;
  readonly requestContext: RequestContext;
}

/** Reports the usage of the window. */
export function reportContext({ requestContext, options, log }: ContextReportParts): void {
  const { state, isExact: exact } = requestContext.tracker;
  options.onContextUpdate?.(state);
  const { usedTokens, maxTokens, usedPercentage } = state;
  log.stream({ type: "context_update", usedTokens, maxTokens, usedPercentage, exact });
}
