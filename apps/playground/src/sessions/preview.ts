import { applyEvents, emptyView } from "@robota/react/store";
import { readLastTurns, readSessionHeader } from "@robota/runtime/sessions";
import type { AgentHost } from "../agent-host.ts";
import type { Preview } from "../state/workspace-phase.ts";

/**
 * The end of a long conversation as it is stored; nothing for a session that is open elsewhere or was cut, since that
 * decides how it is shown.
 */
export async function previewOf(
  { storage, heldSessions }: Pick<AgentHost, "storage" | "heldSessions">,
  sessionId: string,
): Promise<Preview | undefined> {
  // Asked at once: the session that is being opened will soon be held by this page.
  const [header, held] = await Promise.all([readSessionHeader(storage, sessionId), heldSessions()]);
  if (header?.state !== "idle" || held.has(sessionId)) return undefined;
  const { provider, model } = header;
  const events = await readLastTurns(storage, sessionId);
  const { timeline } = applyEvents({ ...emptyView, provider, model }, events);
  return timeline.length > 0 ? { sessionId, timeline } : undefined;
}
