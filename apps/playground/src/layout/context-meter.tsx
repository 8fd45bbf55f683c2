import type { ContextUse } from "../state/conversation.ts";
import { formatCount } from "../ui/format.ts";

/** Use of the model's window, as text and as a bar. */
export function ContextMeter({ use, isExact }: { use: ContextUse; isExact: boolean }) {
  const percent = Math.min(100, Math.round(use.usedPercentage));
  const estimate = isExact ? "" : " est.";
  const detail = `${formatCount(use.usedTokens)}/${formatCount(use.maxTokens)}${estimate}`;
  return (
    <span
      data-part="context-meter"
      data-full={percent >= 80 || undefined}
      title={`The model's window: ${use.usedTokens} of ${use.maxTokens} tokens${isExact ? "" : ", estimated"}`}
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
