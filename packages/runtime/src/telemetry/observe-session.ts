import type { ModelChoice, SessionEvent } from "../session/log/events.ts";
import { SessionSpans } from "./session-spans.ts";
import type { Telemetry } from "./telemetry.ts";

/** A session whose events can be followed: `Session`, `InteractiveSession`, or another with their methods. */
export type ObservableSession = { getModel?(): ModelChoice } & (
  | { subscribe(listener: (event: SessionEvent) => void): () => void }
  | { on(name: "event", listener: (event: SessionEvent) => void): () => void }
);

/**
 * Sends spans and metrics of a session to `telemetry` from now on: turns, requests to the model, tool calls, waits for
 * approvals and subagents. They say who did what, for how long and at what price; they contain no words of the
 * conversation, no arguments and no results. Returns a function that ends the observation and every open span.
 *
 * @example
 * const stop = observeSession(session, openTelemetry({ tracer, meter }));
 */
export function observeSession(session: ObservableSession, telemetry: Telemetry): () => void {
  const spans = new SessionSpans(telemetry, session.getModel?.());
  const listener = (event: SessionEvent): void => spans.apply(event);
  const unsubscribe =
    "subscribe" in session ? session.subscribe(listener) : session.on("event", listener);
  return () => {
    unsubscribe();
    spans.close(Date.now());
  };
}

/**
 * Sends spans and metrics of recorded events, such as those of a stored session, with the times they happened at.
 *
 * @example
 * await observeEvents(session.events({ signal }), openTelemetry({ tracer }));
 */
export async function observeEvents(
  events: Iterable<SessionEvent> | AsyncIterable<SessionEvent>,
  telemetry: Telemetry,
): Promise<void> {
  const spans = new SessionSpans(telemetry);
  let time = 0;
  for await (const event of events) {
    spans.apply(event);
    ({ time } = event);
  }
  spans.close(time);
}
