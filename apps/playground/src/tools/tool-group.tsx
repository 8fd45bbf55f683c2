import type { ToolItem } from "@robota/react/store";
import { useReadable } from "@robota/react";
import { ChevronRight, Files } from "lucide-react";
import { memo, useState } from "react";
import { revealed } from "../search/search-state.ts";
import { useKeptOpen } from "../state/kept.ts";
import { formatDuration } from "../ui/format.ts";
import { groupWords } from "./group-calls.ts";
import { ToolCard } from "./tool-card.tsx";

/** Several reading calls in one line, which folds out into their cards. */
export const ToolGroup = memo(function ToolGroup({ calls }: { calls: readonly ToolItem[] }) {
  const [open = false, setOpen] = useKeptOpen(`group-${calls[0]?.id}`);
  const shown = useReadable(revealed)?.itemId;
  const [opened, setOpened] = useState<string>();
  if (shown !== opened) {
    setOpened(shown);
    if (calls.some(({ id }) => id === shown)) setOpen(true);
  }
  const duration = calls.reduce((sum, { outcome }) => sum + (outcome?.durationMs ?? 0), 0);
  return (
    <section data-part="tool-group" aria-label={groupWords(calls)}>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight data-part="tool-chevron" size={14} aria-hidden="true" />
        <Files size={15} aria-hidden="true" />
        <span data-part="tool-name">{groupWords(calls)}</span>
        {duration > 0 && <span data-part="tool-facts">{formatDuration(duration)}</span>}
      </button>
      {open && calls.map((call) => <ToolCard key={call.id} item={call} />)}
    </section>
  );
}, hasSameCalls);

/** A list is made anew with every change of the turn. */
function hasSameCalls(
  one: { calls: readonly ToolItem[] },
  other: { calls: readonly ToolItem[] },
): boolean {
  return (
    one.calls.length === other.calls.length &&
    one.calls.every((call, index) => call === other.calls[index])
  );
}
