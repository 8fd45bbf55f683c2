import { useContextUsage, useSession } from "@robota/react";
import type { InteractiveSession } from "@robota/runtime";
import type { ContextBreakdown } from "@robota/runtime/providers";
import { Minimize2 } from "lucide-react";
import { useState } from "react";
import { announce } from "../../ui/announcer.tsx";
import { Button } from "../../ui/button.tsx";
import { formatCount } from "../../ui/format.ts";
import { useBusy } from "../use-busy.ts";
import { contextParts, thresholdOf } from "./context-parts.ts";
import "./context-breakdown.css";

/** The parts of the context window, the threshold at which it compacts, and a button to do so now. */
export function ContextBreakdownView({ session }: { session: InteractiveSession }) {
  const usage = useContextUsage(session);
  const { isRunning } = useSession(session);
  const { isBusy, problem, run } = useBusy();
  const [done, setDone] = useState("");
  if (!usage) return null;
  const parts = session.getContextBreakdown();
  const threshold = thresholdOf(session.getSettings()?.values.autoCompactThreshold);
  const estimate = usage.exact && !usage.isEstimated ? "" : " est.";

  async function compact() {
    const { before, after, isEmpty } = await session.compact();
    const text = isEmpty
      ? "There is nothing to summarise yet."
      : `Compacted: ${formatCount(before)} to ${formatCount(after)} tokens est.`;
    setDone(text);
    announce(text);
  }

  return (
    <div data-part="context-breakdown">
      <p data-part="context-total">
        <strong>{Math.round(usage.usedPercentage)} %</strong> · {formatCount(usage.usedTokens)} of{" "}
        {formatCount(usage.maxTokens)} tokens{estimate}
      </p>
      <Bar parts={parts} max={usage.maxTokens} threshold={threshold} />
      <table>
        <caption data-part="visually-hidden">Tokens by kind of content</caption>
        <tbody>
          {contextParts.map(({ id, label }) => (
            <tr key={id}>
              <th scope="row">
                <span data-part="context-swatch" data-kind={id} aria-hidden="true" />
                {label}
              </th>
              <td>{formatCount(parts[id])} est.</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <span data-part="context-swatch" data-kind="free" aria-hidden="true" />
              Free
            </th>
            <td>
              {formatCount(parts.free)}
              {estimate}
            </td>
          </tr>
        </tbody>
      </table>
      <p data-part="inspector-note">
        {threshold === undefined
          ? "Automatic compaction is off."
          : `Compacts automatically at ${Math.round(threshold * 100)} %.`}
      </p>
      <div data-part="context-actions">
        <Button
          icon={<Minimize2 size={14} />}
          disabled={isBusy || isRunning}
          onClick={() => run(compact)}
        >
          {isBusy ? "Compacting…" : "Compact now"}
        </Button>
        <span role="status">{problem || done}</span>
      </div>
    </div>
  );
}

interface BarProps {
  parts: ContextBreakdown;
  max: number;
  threshold: number | undefined;
}

function Bar({ parts, max, threshold }: BarProps) {
  return (
    <svg data-part="context-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      {contextParts.map(({ id }, index) => {
        const before = contextParts.slice(0, index).reduce((sum, part) => sum + parts[part.id], 0);
        const [x, width] = [(before / max) * 100, (parts[id] / max) * 100];
        return <rect key={id} data-kind={id} x={x} y={0} width={width} height={6} />;
      })}
      {threshold !== undefined && (
        <rect data-kind="threshold" x={threshold * 100 - 0.2} y={0} width={0.4} height={6} />
      )}
    </svg>
  );
}
