import type { ToolItem, TurnView } from "@robota/react/store";

/**
 * Milliseconds in which a turn waited for a person's answers. The questions of agents in the background hold nothing up, and
 * what a hook answered was not waited for.
 */
export function waitedMs({ items }: Pick<TurnView, "items">): number {
  const waits = items.flatMap((item) => (item.kind === "tool" ? waitsOf(item) : []));
  let [total, end] = [0, 0];
  // The time counts once in which several questions are open.
  for (const { from, to } of waits.toSorted((one, other) => one.from - other.from)) {
    total += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return total;
}

function waitsOf(tool: ToolItem): { from: number; to: number }[] {
  const { askedAt, answeredAt, decision, agents = [] } = tool;
  const isWait = askedAt !== undefined && answeredAt !== undefined && decision?.by !== "hook";
  return [
    ...(isWait ? [{ from: askedAt, to: answeredAt }] : []),
    ...agents
      .filter(({ isBackground }) => !isBackground)
      .flatMap(({ calls }) => calls.flatMap(waitsOf)),
  ];
}
