import { viewOf } from "./store-of.ts";
import type { SessionConnection } from "./store/connection.ts";
import type { BackgroundAgent, SessionView } from "./store/session-view.ts";
import { useSelected } from "./use-readable.ts";

/**
 * The subagents that run in the background, in the order of their starts.
 * @example
 * function Agents({ session }: { session: InteractiveSession }) {
 *   const agents = useBackgroundAgents(session);
 *   const stop = async (id: string) => (await session.agents()).stop(id);
 *   return agents.map(({ id, agent }) => <button key={id} onClick={() => stop(id)}>Stop {agent}</button>);
 * }
 */
export function useBackgroundAgents(
  session: SessionConnection | undefined,
): readonly BackgroundAgent[] {
  return useSelected(viewOf(session), agentsOf);
}

function agentsOf({ agents }: SessionView): readonly BackgroundAgent[] {
  return agents;
}
