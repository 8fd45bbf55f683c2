import type { ShellCommand } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";

const MAX_NUMBERS = 5_000_000;

export const shuf: ShellCommand = {
  name: "shuf",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "e",
      valued: "ni",
      long: { "head-count": "n", "input-range": "i", echo: "e" },
    });
    let lines: string[];
    const range = /^(\d+)-(\d+)$/.exec(options.get("i") ?? "");
    if (range) {
      const [low, high] = [Number(range[1]), Number(range[2])];
      if (high - low >= MAX_NUMBERS) throw new Error(`more than ${MAX_NUMBERS} numbers`);
      lines = [];
      for (let value = low; value <= high; value++) {
        const turn = context.pace(0.1);
        if (turn) await turn;
        lines.push(String(value));
      }
    } else if (options.has("e")) {
      lines = [...operands];
    } else {
      const text = await readTextOperand(context, operands[0] ?? "-");
      lines = text.split("\n");
      if (lines.at(-1) === "") lines.pop();
    }
    for (let last = lines.length - 1; last > 0; last--) {
      const turn = context.pace(0.1);
      if (turn) await turn;
      const other = Math.floor(Math.random() * (last + 1));
      [lines[last], lines[other]] = [lines[other] ?? "", lines[last] ?? ""];
    }
    const kept = lines.slice(0, Number(options.get("n") ?? lines.length));
    return { stdout: kept.length === 0 ? "" : `${kept.join("\n")}\n` };
  },
};
