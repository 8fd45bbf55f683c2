import { singleOf } from "./character-set.ts";
import type { Node } from "./syntax.ts";

/** Literal texts that each match begins with and contains; the host finds them faster than any automaton. */
export function requiredTexts(node: Node): { prefix: string; needle: string } {
  const runs = [""];
  collect(node, runs);
  const needle = runs.reduce((longest, run) => (run.length >= longest.length ? run : longest));
  return { prefix: runs[0] ?? "", needle };
}

/** Adds the literal text of a part to the last of the runs, and starts another where the text varies. */
function collect(node: Node, runs: string[]): void {
  if (node.type === "assertion") return;
  if (node.type === "group") return collect(node.item, runs);
  if (node.type === "sequence") {
    for (const item of node.items) collect(item, runs);
    return;
  }
  const single = node.type === "set" ? singleOf(node.set) : undefined;
  if (single !== undefined) {
    runs.push((runs.pop() ?? "") + single);
    return;
  }
  if (node.type === "repetition" && node.least > 0) collect(node.item, runs);
  runs.push("");
}
