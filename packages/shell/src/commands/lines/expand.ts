import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { forEachOperand, joinLines } from "../byte-lines.ts";
import { byteLinesOf, createPrinter } from "../streams.ts";
import { parseTabStops, type TabStops, withoutOldStops } from "./tab-stops.ts";

/** Converts tabs to spaces: `-i`, `-t LIST`. */
export const expand: ShellCommand = {
  name: "expand",
  async run(args, context) {
    const { options, given, operands } = parseArguments(withoutOldStops(args), {
      flags: "i",
      valued: "t",
      long: { initial: "i", tabs: "t" },
    });
    const stops = parseTabStops(given.filter(([name]) => name === "t").map(([, list]) => list));
    const printer = createPrinter(context);
    const failed = await forEachOperand("expand", operands, async (operand) => {
      for await (const lines of byteLinesOf(context, operand)) {
        const output: string[] = [];
        for (const line of lines) {
          const turn = context.pace(1 + line.length / 256);
          if (turn) await turn;
          output.push(line.includes("\t") ? expanded(line, stops, options.has("i")) : line);
        }
        await printer.print(joinLines(output));
      }
    });
    return { stdout: printer.rest(), ...failed };
  },
};

function expanded(line: string, stops: TabStops, isInitialOnly: boolean): string {
  let [text, column] = ["", 0];
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "\t") {
      const next = stops.next(column) ?? column + 1;
      text += " ".repeat(next - column);
      column = next;
    } else {
      if (isInitialOnly && character !== " ") return text + line.slice(at);
      text += character;
      column = character === "\b" ? Math.max(0, column - 1) : column + 1;
    }
  }
  return text;
}
