import { viewOf } from "./store-of.ts";
import type { SessionConnection } from "./store/connection.ts";
import type { SessionView, TimelineEntry } from "./store/session-view.ts";
import { useSelected } from "./use-readable.ts";

/**
 * The turns of a session with their text, thinking and tool calls, and the dividers between them. Draws at most once
 * per animation frame while text streams; entries that have not changed are the same objects, so `memo` holds.
 * @param session nothing while the session is not open yet
 * @example
 * function Transcript({ session }: { session: InteractiveSession }) {
 *   return useTranscript(session).map((entry) =>
 *     entry.kind === "turn" ? <Turn key={entry.id} turn={entry} /> : <hr key={entry.id} />,
 *   );
 * }
 */
export function useTranscript(session: SessionConnection | undefined): readonly TimelineEntry[] {
  return useSelected(viewOf(session), timelineOf);
}

function timelineOf({ timeline }: SessionView): readonly TimelineEntry[] {
  return timeline;
}
