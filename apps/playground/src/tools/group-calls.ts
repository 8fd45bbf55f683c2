import type { ToolItem, TurnItem } from "@robota/react/store";
import { wordsOf } from "./describe-tool.ts";

/** Calls that only looked at files, one after the other. */
export interface CallGroup {
  kind: "group";
  /** That of its first call. */
  id: string;
  calls: readonly ToolItem[];
}

const SHORTEST = 2;

/** The items of a turn, with runs of finished reading calls as one. */
export function groupCalls(items: readonly TurnItem[]): (TurnItem | CallGroup)[] {
  const grouped: (TurnItem | CallGroup)[] = [];
  let calls: ToolItem[] = [];
  const close = (): void => {
    const [first] = calls;
    if (first && calls.length >= SHORTEST) grouped.push({ kind: "group", id: first.id, calls });
    else grouped.push(...calls);
    calls = [];
  };
  for (const item of items) {
    if (item.kind === "tool" && isQuietRead(item)) {
      calls.push(item);
      continue;
    }
    close();
    grouped.push(item);
  }
  close();
  return grouped;
}

/** `Read 3 files, searched twice` */
export function groupWords(calls: readonly ToolItem[]): string {
  const counts = new Map<string, number>();
  for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const words = [...counts].map(([tool, count]) => wordsOf(tool)?.looked?.(count) ?? tool);
  const text = words.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isQuietRead({ tool, phase, request, outcome }: ToolItem): boolean {
  return (
    wordsOf(tool)?.looked !== undefined && phase === "done" && !request && outcome?.success === true
  );
}
