import type { SessionConnection, TurnView } from "@robota/react/store";
import { contentText, type SessionEvent } from "@robota/runtime";

/** A message to a running turn, which it reads at its next step. */
export interface SteeringText {
  session: SessionConnection;
  text: string;
}

/** Messages that still wait after more events of a session. One that a turn has not read at its end is a prompt then, or discarded. */
export function waitingAfter(
  given: readonly SteeringText[],
  session: SessionConnection,
  events: readonly SessionEvent[],
): readonly SteeringText[] {
  let left = given;
  for (const event of events) {
    if (event.parentId !== undefined) continue;
    if (event.type === "turn_end") left = waitingNow(left, session, undefined);
    else if (event.type === "user_message")
      left = without(left, session, contentText(event.message.content));
  }
  return left;
}

/** Messages that still wait, by the turn that runs. */
export function waitingNow(
  given: readonly SteeringText[],
  session: SessionConnection,
  turn: TurnView | undefined,
): readonly SteeringText[] {
  if (!turn) return given.filter((one) => one.session !== session);
  let left = given;
  for (const item of turn.items)
    if (item.kind === "steer") left = without(left, session, item.text);
  return left;
}

function without(
  given: readonly SteeringText[],
  session: SessionConnection,
  text: string,
): readonly SteeringText[] {
  const at = given.findIndex((one) => one.session === session && one.text === text);
  return at < 0 ? given : given.toSpliced(at, 1);
}
