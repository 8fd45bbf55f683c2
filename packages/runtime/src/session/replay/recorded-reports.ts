import { isAgentReport } from "../agents/open-agents.ts";
import type { SessionEventBody } from "../log/events.ts";
import { bodyOf } from "./facts.ts";
import type { ReplayCursor } from "./replay-cursor.ts";

/** The message about subagents that the record has at this place, if any. */
export function recordedReports(cursor: ReplayCursor): () => SessionEventBody[] {
  return () => {
    const next = cursor.peek();
    return next && isAgentReport(next) ? [bodyOf(next)] : [];
  };
}
