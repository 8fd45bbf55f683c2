import type { InteractiveSession } from "@robota/runtime";
import { Play } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { listOf, textOf } from "../run-command.ts";
import { Section } from "../section.tsx";
import { useBusy } from "../use-busy.ts";
import { useCommandList } from "./use-command-list.ts";

/** The agents that the session can delegate work to. */
export function AgentsSection({ session }: { session: InteractiveSession }) {
  const { reply, problem } = useCommandList(session, "agents");
  const busy = useBusy();
  const agents = listOf(reply?.data["agents"]);
  return (
    <Section
      title="Agents"
      note="Add one as a file in .robota/agents. It counts once the workspace is trusted."
    >
      <ul data-part="rows">
        {agents.map((agent) => {
          const name = textOf(agent["name"]);
          return (
            <li key={name}>
              <span data-part="row-main">
                <strong>{name}</strong> {textOf(agent["description"])}
              </span>
              <Button
                look="bare"
                icon={<Play size={13} />}
                aria-label={`Try ${name}`}
                onClick={() => busy.run(() => session.submit(`delegate ${name}: list`))}
              >
                Try
              </Button>
            </li>
          );
        })}
      </ul>
      {(problem || busy.problem) && (
        <p data-part="inspector-problem" role="alert">
          {problem || busy.problem}
        </p>
      )}
    </Section>
  );
}
