import type { Clock } from "../../ports/assemble.ts";
import { closeCutTurn } from "../log/crash-recovery.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionState } from "../state/state.ts";

export interface ClosingParts {
  readonly options: Pick<SessionOptions, "provider">;
  readonly clock: Clock;
  readonly state: SessionState;
}

/** The events that close a turn no longer running; none when no turn is open. */
export function closingEvents({ state, clock, options }: ClosingParts): SessionEventBody[] {
  if (!state.turn) return [];
  const { name, model } = options.provider;
  return closeCutTurn(state, { ...clock, provider: name, model });
}
