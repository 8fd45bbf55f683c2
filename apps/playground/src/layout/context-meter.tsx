import type { ContextUsage } from "@robota/react";
import { formatCount } from "../ui/format.ts";

/** Use of the model's window, as text and as a bar. */
export function ContextMeter({ usage }: { usage: ContextUsage }) {
  const isExact = usage.exact && !usage.isEstimated;
  const percent = Math.min(100, Math.round(usage.usedPercentage));
  const estimate = isExact ? "" : " est.";
  const detail = `${formatCount(usage.usedTokens)}/${formatCount(usage.maxTokens)}${estimate}`;
  return (
    <span
      data-part="context-meter"
      data-full={percent >= 80 || undefined}
      title={`The model's window: ${usage.usedTokens} of ${usage.maxTokens} tokens${isExact ? "" : ", estimated"}`}
    >
      <span>
        {percent} %<span data-part="context-detail"> · {detail}</span>
      </span>
      <div
        role="meter"
        aria-label="Context used"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={`${percent} percent, ${detail} tokens`}
      >
        <div style={{ width: `${percent}%` }} />
      </div>
    </span>
  );
}
