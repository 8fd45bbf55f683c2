import type { SubagentRun, ToolItem } from "@robota/react/store";
import { Bot } from "lucide-react";
import type { ComponentType } from "react";
import { Exact } from "../ui/exact-text.tsx";
import { formatDuration } from "../ui/format.ts";

const states: Readonly<Record<SubagentRun["state"], string>> = {
  running: "Working",
  complete: "Done",
  interrupted: "Stopped",
  failed: "Failed",
};

export interface AgentRunsProps {
  runs: readonly SubagentRun[];
  /** Shows one of their calls; the card that they are inside of is one as well. */
  Card: ComponentType<{ item: ToolItem }>;
}

/** The subagents that a call has started, each with its own calls. */
export function AgentRuns({ runs, Card }: AgentRunsProps) {
  return runs.map((run) => (
    <section key={run.id} data-part="agent-run" aria-label={`Agent ${run.agent}`}>
      <header>
        <Bot size={14} aria-hidden="true" />
        <strong>
          <Exact text={run.agent} />
        </strong>
        <span dir="auto">
          <Exact text={run.work} />
        </span>
        <span data-part="tool-facts">{factsOf(run)}</span>
      </header>
      {run.calls.map((call) => (
        <Card key={call.id} item={call} />
      ))}
    </section>
  ));
}

function factsOf({ state, calls, startedAt, endedAt }: SubagentRun): string {
  const count = calls.length === 1 ? "1 call" : `${calls.length} calls`;
  const duration = endedAt === undefined ? "" : formatDuration(endedAt - startedAt);
  return [states[state], count, duration].filter(Boolean).join(" · ");
}
