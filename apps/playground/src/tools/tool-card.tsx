import {
  Ban,
  Check,
  ChevronRight,
  Circle,
  CircleStop,
  Hand,
  LoaderCircle,
  type LucideIcon,
  X,
} from "lucide-react";
import { memo, useState } from "react";
import type { ToolItem, ToolPhase } from "@robota/react/store";
import { formatBytes, formatDuration } from "../ui/format.ts";
import { useRevealed } from "../search/use-revealed.ts";
import { useKeptOpen } from "../state/kept.ts";
import { describeTool } from "./describe-tool.ts";
import { ToolDetails } from "./tool-details.tsx";
import { Exact } from "../ui/exact-text.tsx";
import "./tool-card.css";

const phases: Readonly<Record<ToolPhase, { icon: LucideIcon; label: string }>> = {
  queued: { icon: Circle, label: "Queued" },
  waiting: { icon: Hand, label: "Waiting for you" },
  running: { icon: LoaderCircle, label: "Running" },
  done: { icon: Check, label: "Done" },
  failed: { icon: X, label: "Failed" },
  denied: { icon: Ban, label: "Not run" },
  blocked: { icon: Ban, label: "Blocked by a hook" },
  stopped: { icon: CircleStop, label: "Stopped" },
};

/** Failures are visible without a click. */
const opensItself = new Set<ToolPhase>(["failed", "denied", "blocked"]);

const encoder = new TextEncoder();

/** One tool call: a line, and all details when opened. */
export const ToolCard = memo(function ToolCard({ item }: { item: ToolItem }) {
  const [chosen, setChosen] = useKeptOpen(item.id);
  useRevealed(item.id, () => setChosen(true));
  const isAsking = item.agents?.some((run) => run.calls.some(({ phase }) => phase === "waiting"));
  // Stays open after the answer: the calls behind it follow.
  const [hasAsked, setHasAsked] = useState(false);
  if (isAsking && !hasAsked) setHasAsked(true);
  const open = chosen ?? (opensItself.has(item.phase) || hasAsked);
  const { icon: Icon, main } = describeTool(item.tool, item.args);
  const { icon: PhaseIcon, label } = phases[item.phase];
  const { outcome } = item;
  const calls = item.agents?.reduce((sum, run) => sum + run.calls.length, 0);
  const facts = [
    calls ? (calls === 1 ? "1 call" : `${calls} calls`) : "",
    outcome?.exitCode ? `exit ${outcome.exitCode}` : "",
    outcome && outcome.durationMs > 0 ? formatDuration(outcome.durationMs) : "",
    outcome?.success && item.output ? formatBytes(encoder.encode(item.output).length) : "",
  ].filter(Boolean);

  return (
    <section
      data-part="tool-card"
      data-item={item.id}
      data-phase={item.phase}
      aria-label={`${item.tool}: ${label}`}
    >
      <button type="button" aria-expanded={open} onClick={() => setChosen(!open)}>
        <ChevronRight data-part="tool-chevron" size={14} aria-hidden="true" />
        <Icon size={15} aria-hidden="true" />
        <span data-part="tool-name">{item.tool}</span>
        <code data-part="tool-main">
          <Exact text={main} />
        </code>
        <span data-part="tool-facts">{facts.join(" · ")}</span>
        <span data-part="tool-phase">
          <PhaseIcon size={14} aria-hidden="true" />
          <span>{label}</span>
        </span>
      </button>
      {open && <ToolDetails item={item} Card={ToolCard} />}
    </section>
  );
});
