import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";
import { forEachOperand, splitLines } from "../byte-lines.ts";

/** Refills paragraphs to `-w` columns (75), with the indent of each line kept. */
export const fmt: ShellCommand = {
  name: "fmt",
  async run(args, context) {
    const { options, operands } = parseArguments(
      args.map((arg) => arg.replace(/^-(\d+)$/, "-w$1")),
      { flags: "csut", valued: "wpg", long: { width: "w" } },
    );
    const width = Number(options.get("w") ?? 75);
    // Lines aim at slightly less than the width, as GNU's do.
    const goal = Math.floor((width * 187) / 200);
    const output: string[] = [];
    const failed = await forEachOperand("fmt", operands, async (operand) => {
      let words: string[] = [];
      let indent = "";
      const flush = async (): Promise<void> => {
        const lines = await fill(words, { indent, width, goal, pace: context.pace });
        for (const line of lines) output.push(line);
        words = [];
      };
      for (const line of splitLines(await readTextOperand(context, operand))) {
        const [, start = "", text = ""] = /^([ \t]*)(.*)$/.exec(line) ?? [];
        if (text === "" || (words.length > 0 && start !== indent)) await flush();
        if (text === "") output.push("");
        else {
          indent = start;
          for (const word of text.trim().split(/[ \t]+/)) words.push(word);
        }
      }
      await flush();
    });
    return { stdout: output.map((line) => `${line}\n`).join(""), ...failed };
  },
};

/** Finds the breaks with the least raggedness around the goal; the last line may be short. */
async function fill(
  words: readonly string[],
  {
    indent,
    width,
    goal,
    pace,
  }: { indent: string; width: number; goal: number; pace: ShellCommandContext["pace"] },
): Promise<string[]> {
  const best: { cost: number; next: number }[] = [];
  best[words.length] = { cost: 0, next: words.length };
  for (let from = words.length - 1; from >= 0; from--) {
    const turn = pace();
    if (turn) await turn;
    let length = indent.length - 1;
    let found = { cost: Number.POSITIVE_INFINITY, next: from + 1 };
    for (let to = from; to < words.length; to++) {
      length += (words[to] ?? "").length + 1;
      if (length > width && to > from) break;
      const isLast = to === words.length - 1;
      const cost = (isLast ? 0 : (goal - length) ** 2) + (best[to + 1]?.cost ?? 0);
      if (cost < found.cost) found = { cost, next: to + 1 };
    }
    best[from] = found;
  }
  const lines: string[] = [];
  for (let from = 0; from < words.length; from = best[from]?.next ?? words.length) {
    lines.push(indent + words.slice(from, best[from]?.next).join(" "));
  }
  return lines;
}
