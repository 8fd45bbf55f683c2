import { lastTurn, type SessionView } from "@robota/react/store";

/**
 * Tells whether a turn has begun or ended since, also when a whole one has passed between two drawings of a busy page: what a
 * turn may have changed is read again when this text differs.
 */
export function turnMoment(view: SessionView): string {
  const turn = lastTurn(view);
  return turn ? `${turn.id} ${turn.state}` : "";
}
