import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { forEachOperand, joinLines } from "../byte-lines.ts";
import { byteLinesOf, createPrinter } from "../streams.ts";
import { parseTabStops, type TabStops, withoutOldStops } from "./tab-stops.ts";

/** Converts spaces to tabs at the start of lines, or everywhere: `-a`, `--first-only`, `-t LIST`. */
export const unexpand: ShellCommand = {
  name: "unexpand",
  async run(args, context) {
    const { options, given, operands } = parseArguments(withoutOldStops(args), {
      flags: "a",
      valued: "t",
      long: { all: "a", "first-only": "first-only", tabs: "t" },
    });
    const stops = parseTabStops(given.filter(([name]) => name === "t").map(([, list]) => list));
    const isEverywhere = (options.has("a") || options.has("t")) && !options.has("first-only");
    const printer = createPrinter(context);
    const failed = await forEachOperand("unexpand", operands, async (operand) => {
      for await (const lines of byteLinesOf(context, operand)) {
        const output: string[] = [];
        for (const line of lines) {
          const turn = context.pace(1 + line.length / 256);
          if (turn) await turn;
          output.push(tabbed(line, stops, isEverywhere));
        }
        await printer.print(joinLines(output));
      }
    });
    return { stdout: printer.rest(), ...failed };
  },
};

/** Replaces blanks up to a stop by a tab; a single space before a stop stays unless more blanks follow. */
function tabbed(line: string, stops: TabStops, isEverywhere: boolean): string {
  let [text, pending, column] = ["", "", 0];
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character !== " " && character !== "\t") {
      text += pending + character;
      pending = "";
      if (!isEverywhere) return text + line.slice(at + 1);
      column = character === "\b" ? Math.max(0, column - 1) : column + 1;
      continue;
    }
    const next = stops.next(column);
    if (next === undefined) return text + pending + line.slice(at);
    column = character === "\t" ? next : column + 1;
    if (character === " " && column < next) pending += " ";
    else if (character === " " && pending === "" && !isBlankAt(line, at + 1)) pending = " ";
    else {
      text += "\t";
      pending = "";
    }
  }
  return text + pending;
}

function isBlankAt(line: string, at: number): boolean {
  return line.charAt(at) === " " || line.charAt(at) === "\t";
}
