import type { ToolItem } from "@robota/react/store";
import { useCallChanges } from "../changes/call-changes.ts";
import { DiffList } from "../diff/diff-list.tsx";
import { useKept } from "../state/kept.ts";
import { ExactText } from "../ui/exact-text.tsx";
import { OutputBlock } from "../ui/output-block.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AgentRuns, type AgentRunsProps } from "./agent-runs.tsx";
import { Decision } from "./decision.tsx";
import { decisionWords } from "./decision-words.ts";
import { outputOf } from "./tool-output.ts";

type Detail = "diff" | "output" | "input" | "decision" | "raw";

const labels: Readonly<Record<Detail, string>> = {
  input: "Input",
  output: "Output",
  diff: "Diff",
  decision: "Decision",
  raw: "Raw JSON",
};

const isDetail = (value: unknown): value is Detail => Object.hasOwn(labels, String(value));

export interface ToolDetailsProps {
  item: ToolItem;
  /** Shows a call of a subagent. */
  Card: AgentRunsProps["Card"];
}

/** Every known detail of a tool call. */
export function ToolDetails({ item, Card }: ToolDetailsProps) {
  const [chosen, setChosen] = useKept(`detail:${item.id}`, isDetail);
  const ran = item.phase === "done" || item.phase === "failed" || item.phase === "running";
  const found = useCallChanges(item);
  const isFound = found.length > 0;
  const reported = (ran && item.outcome?.changes) || item.request?.preview?.changes || [];
  const changes = isFound ? found : reported;
  const decided = decisionWords(item) !== undefined;
  const available: readonly Detail[] = [
    "input",
    ...(item.output ? (["output"] as const) : []),
    ...(changes.length > 0 ? (["diff"] as const) : []),
    ...(decided ? (["decision"] as const) : []),
    "raw",
  ];
  const selected = chosen && available.includes(chosen) ? chosen : firstChoice(item, available);

  return (
    <div data-part="tool-details">
      {item.agents && <AgentRuns runs={item.agents} Card={Card} />}
      <Tabs<Detail>
        label={`Details of ${item.tool}`}
        tabs={available.map((id) => ({ id, label: labels[id] }))}
        selected={selected}
        onSelect={setChosen}
      >
        {selected === "input" && <ToolInput item={item} />}
        {selected === "output" && <OutputBlock text={outputOf(item)} what="output" />}
        {selected === "diff" && (
          <>
            <DiffList changes={changes} />
            {isFound && <p data-part="tool-note">These files as the turn left them.</p>}
          </>
        )}
        {selected === "decision" && <Decision item={item} />}
        {selected === "raw" && <ExactText text={rawJson(item)} what="JSON" />}
      </Tabs>
    </div>
  );
}

function firstChoice(item: ToolItem, available: readonly Detail[]): Detail {
  const wanted: readonly Detail[] =
    item.phase === "denied" || item.phase === "blocked"
      ? ["decision", "output", "input"]
      : item.phase === "failed"
        ? ["output", "input"]
        : item.outcome?.changes || item.request?.preview?.changes
          ? ["diff", "output", "input"]
          : ["output", "input"];
  return wanted.find((detail) => available.includes(detail)) ?? "input";
}

/** Texts of several lines, such as file contents, are easier to read on their own than inside JSON. */
function ToolInput({ item }: { item: ToolItem }) {
  const entries = Object.entries(item.args);
  if (entries.length === 0) return <p data-part="tool-note">Called without arguments.</p>;
  return (
    <dl data-part="tool-input">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <ExactText
              text={typeof value === "string" ? value : JSON.stringify(value, null, 2)}
              what={name}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function rawJson(item: ToolItem): string {
  const { id, tool, args, output, request, decision, automatic, outcome } = item;
  const raw = { id, tool, args, output, request, decision, automatic, outcome };
  return JSON.stringify(raw, null, 2);
}
