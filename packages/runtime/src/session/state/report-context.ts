import { callSafely } from "../../errors.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";
import type { RequestContext } from "./request-context.ts";

export interface ContextReportParts {
  readonly options: Pick<SessionOptions, "onContextUpdate">;
  readonly log: SessionLog;
  readonly requestContext: RequestContext;
}

/** Reports the usage of the window. */
export function reportContext(parts: ContextReportParts): void {
  parts.log.stream(contextReport(parts));
}

/** The usage of the window, for the log; its listener has it already. */
export function contextReport({
  requestContext,
  options,
}: Pick<ContextReportParts, "requestContext" | "options">): SessionEventBody {
  const { state, isExact: exact } = requestContext.tracker;
  callSafely(() => options.onContextUpdate?.(state));
  const { usedTokens, maxTokens, usedPercentage } = state;
  return { type: "context_update", usedTokens, maxTokens, usedPercentage, exact };
}
