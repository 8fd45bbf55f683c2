import type { SessionView, TextItem } from "@robota/react/store";

/** Two lines that begin as steps do. */
const STEPS = /^ {0,3}(?:\d+[.)]|[-*+]) .*(?:\n.*)*?\n {0,3}(?:\d+[.)]|[-*+]) /m;

/**
 * The text of a turn that proposes steps, while plan mode waits for a word on it: of the last turn, once it is complete.
 * Questions that were answered in plan mode are no plans.
 */
export function findPlan({ mode, timeline }: SessionView, turnId: string): TextItem | undefined {
  if (mode !== "plan") return undefined;
  const turn = timeline.at(-1);
  if (turn?.kind !== "turn" || turn.id !== turnId || turn.state !== "complete") return undefined;
  const plan = turn.items.findLast((item) => item.kind === "text" && STEPS.test(item.text));
  return plan?.kind === "text" ? plan : undefined;
}
