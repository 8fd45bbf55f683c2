import type { ContextUsage } from "@robota/react";
import { useCurrentSession } from "../state/page-context.ts";
import { formatCount } from "../ui/format.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Popover } from "../ui/popover.tsx";
import { RegionBoundary } from "../ui/region-boundary.tsx";

const ContextBreakdownView = lazyPart(
  async () => (await import("../inspector/context/context-breakdown.tsx")).ContextBreakdownView,
);

/** Use of the model's window, as text and as a bar. Opens what is in it. */
export function ContextMeter({ usage }: { usage: ContextUsage }) {
  const { local } = useCurrentSession();
  const isExact = usage.exact && !usage.isEstimated;
  const percent = Math.min(100, Math.round(usage.usedPercentage));
  const estimate = isExact ? "" : " est.";
  const detail = `${formatCount(usage.usedTokens)}/${formatCount(usage.maxTokens)}${estimate}`;
  const meter = (
    <span
      data-part="context-meter"
      data-full={percent >= 80 || undefined}
      title={`The model's window: ${usage.usedTokens} of ${usage.maxTokens} tokens${isExact ? "" : ", estimated"}`}
    >
      <span>
        {percent} %<span data-part="context-detail"> · {detail}</span>
      </span>
      <span
        role="meter"
        aria-label="Context used"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={`${percent} percent, ${detail} tokens`}
      >
        <span style={{ width: `${percent}%` }} />
      </span>
    </span>
  );
  if (!local) return meter;
  return (
    <Popover label={`Context: ${percent} % · ${detail}`} look="meter" button={meter}>
      <RegionBoundary name="The context">
        <ContextBreakdownView session={local} />
      </RegionBoundary>
    </Popover>
  );
}
