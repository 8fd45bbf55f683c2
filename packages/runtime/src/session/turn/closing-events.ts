import type { Clock } from "../../ports/assemble.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionState } from "../state/state.ts";

export interface ClosingParts {
  readonly options: Pick<SessionOptions, "provider">;
  readonly clock: Clock;
  readonly state: SessionState;
}

/** The events that close a turn no longer running; none when no turn is open. */
export async function closingEvents({
  state,
  clock,
  options,
}: ClosingParts): Promise<SessionEventBody[]> {
  if (!state.turn) return [];
  const { closeCutTurn } = await import("../log/crash-recovery.ts");
  const { name, model } = options.provider;
  return closeCutTurn(state, { ...clock, provider: name, model });
}
