import { useSelected } from "@robota/react";
import { type BackgroundAgent, sessionStore, type SessionView } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";
import { Bot, Square } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import "./agents-region.css";

export interface AgentsRegionProps {
  session: InteractiveSession;
  agents: readonly BackgroundAgent[];
  onProblem: (error: unknown) => void;
}

/** The subagents that run in the background; each can be stopped without stopping the turn. */
export function AgentsRegion({ session, agents, onProblem }: AgentsRegionProps) {
  const requests = useSelected(sessionStore(session), requestsOf);
  const [stopped, setStopped] = useState<readonly string[]>([]);

  async function stop(id: string) {
    setStopped((ids) => [...ids, id]);
    try {
      await (await session.agents()).stop(id);
    } catch (error) {
      setStopped((ids) => ids.filter((other) => other !== id));
      onProblem(error);
    }
  }

  return (
    <section data-part="agents" aria-label="Background agents">
      <header>
        <Bot size={14} aria-hidden="true" />
        <h2>{agents.length === 1 ? "In the background" : `${agents.length} in the background`}</h2>
      </header>
      <ul>
        {agents.map(({ id, agent, work }) => {
          const isWaiting = requests.some((request) => request.agent?.id === id);
          const isStopping = stopped.includes(id);
          return (
            <li key={id}>
              <span data-part="agent-work" title={work}>
                <strong>{agent}</strong> {work}
              </span>
              <span data-part="agent-state" data-state={isWaiting ? "waiting" : undefined}>
                {isStopping ? "Stopping" : isWaiting ? "Waits for approval" : "Working"}
              </span>
              <Button
                look="bare"
                icon={<Square size={12} aria-hidden="true" />}
                aria-label={`Stop ${agent}: ${work.slice(0, 60)}`}
                disabled={isStopping}
                onClick={() => void stop(id)}
              >
                Stop
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function requestsOf({ requests }: SessionView): SessionView["requests"] {
  return requests;
}
