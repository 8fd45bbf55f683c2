import type { PermissionRequest } from "@robota/runtime";
import type { SessionEventOf } from "@robota/runtime/sessions";
import type { SessionView, TurnView } from "./session-view.ts";

/** True when the turn waits for the answer. The questions of agents in the background hold nothing up. */
export function holdsTurnUp({ agent }: PermissionRequest, { agents }: Pick<SessionView, "agents">) {
  return agent === undefined || !agents.some(({ id }) => id === agent.id);
}

/** The running turn, waiting since then at the latest. */
export function beginWait(turn: TurnView, time: number): TurnView {
  const isWaiting = turn.state !== "running" || turn.waitingSince !== undefined;
  return isWaiting ? turn : { ...turn, waitingSince: time };
}

/** The turn, waiting no more. What answered without a person was not waited for. */
export function endWait(
  turn: TurnView,
  time: number,
  by: SessionEventOf<"permission_decision">["decision"]["by"],
): TurnView {
  const { waitingSince, waitedMs = 0, ...rest } = turn;
  if (waitingSince === undefined) return turn;
  const isByPerson = by === "person" || by === "abort";
  const waited = waitedMs + (isByPerson ? time - waitingSince : 0);
  return waited > 0 ? { ...rest, waitedMs: waited } : rest;
}
