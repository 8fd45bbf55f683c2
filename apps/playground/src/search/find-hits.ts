import type { TimelineEntry, TurnItem } from "@robota/react/store";
import type { Hit } from "./search-state.ts";

/** The parts of a conversation that contain a text, in their order. Letters match in both cases. */
export function findHits(timeline: readonly TimelineEntry[], text: string): readonly Hit[] {
  const wanted = text.toLowerCase();
  if (wanted.trim() === "") return [];
  const has = (part: string): boolean => part.toLowerCase().includes(wanted);
  return timeline.flatMap((entry) => {
    const hitOf = (itemId: string): Hit => ({ entryId: entry.id, itemId });
    if (entry.kind === "divider")
      return has(`${entry.label}\n${entry.detail ?? ""}`) ? [hitOf(entry.id)] : [];
    const message = has(entry.prompt) ? [hitOf(entry.id)] : [];
    return [
      ...message,
      ...entry.items.filter((item) => has(textOf(item))).map(({ id }) => hitOf(id)),
    ];
  });
}

function textOf(item: TurnItem): string {
  if (item.kind !== "tool") return item.text;
  const args = Object.values(item.args).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  return [item.tool, ...args, item.output].join("\n");
}
