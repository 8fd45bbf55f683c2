import type { TurnItem, TurnView } from "@robota/react/store";

/** A turn that nobody works on any more, although its end was never recorded: nothing in it is under way. */
export function asCut(turn: TurnView): TurnView {
  if (turn.state !== "running") return turn;
  return { ...turn, cut: true, retry: undefined, items: turn.items.map(still) };
}

function still(item: TurnItem): TurnItem {
  if (item.kind === "steer") return item;
  if (item.kind !== "tool") return { ...item, streaming: false };
  const isOpen = item.phase === "queued" || item.phase === "running";
  return isOpen ? { ...item, phase: "stopped" } : item;
}
