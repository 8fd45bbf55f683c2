import { arrivalOf } from "../../state/arrivals.ts";
import type { WorkspacePhase } from "../../state/workspace-phase.ts";

/** Why a turn that waits for an answer was interrupted, and where it continues. */
export function pausedBecause(phase: WorkspacePhase, isOwn: boolean): string {
  if (phase.kind === "watching" && phase.reason === "lost")
    return "Another tab took this session over. It continues there when you answer.";
  if (phase.kind === "watching" && phase.reason === "elsewhere")
    return "It continues when you answer in the tab that has the session open.";
  // A recording, a server's session or one that is being opened does not tell what interrupted it.
  if (phase.kind !== "ready" || !isOwn) return "Paused. Continues when you answer.";
  switch (arrivalOf(phase.session.sessionId)) {
    case "tab":
      return "Taken over from another tab. Continues when you answer.";
    case "elsewhere":
      return "Moved here while it waited. Continues when you answer.";
    case undefined:
      return "Paused by a reload. Continues when you answer.";
  }
}
