import { agentReports } from "./open-agents.ts";
import type { Clock } from "../../ports/assemble.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionState } from "../state/state.ts";

export interface ReportParts {
  readonly log: SessionLog;
  readonly state: SessionState;
  readonly clock: Clock;
  /** The messages that a record has at this place, in a replay. */
  readonly recordedReports: (() => SessionEventBody[]) | undefined;
}

/** Notifies the model of background subagents that have ended. Resolves to true when there were any. */
export async function takeReports(parts: ReportParts): Promise<boolean> {
  const { state, clock, log, recordedReports } = parts;
  const reports = recordedReports ? recordedReports() : agentReports(state, clock);
  if (reports.length > 0) await log.commit(...reports);
  return reports.length > 0;
}
