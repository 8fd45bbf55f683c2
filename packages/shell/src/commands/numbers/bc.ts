import { errorMessage } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";
import { fromInteger, type Decimal } from "./bc-number.ts";
import { BcProgram } from "./bc-program.ts";

const MATH_SCALE = 20;

/**
 * Arbitrary-precision arithmetic with variables, `if`, `while`, `for`, `scale`, `ibase`, `obase` and the functions of
 * `-l`; no `define`.
 */
export const bc: ShellCommand = {
  name: "bc",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "lqsiw",
      long: { mathlib: "l", quiet: "q" },
    });
    const sources: string[] = [];
    for (const operand of [...operands, "-"]) sources.push(await readTextOperand(context, operand));
    let [stdout, stderr] = ["", ""];
    const variables = new Map<string, Decimal>();
    if (options.has("l")) variables.set("scale", fromInteger(MATH_SCALE));
    // Line by line, so that an error costs one line; braces join lines.
    for (const source of statementsOf(sources.join("\n"))) {
      let program: BcProgram | undefined;
      try {
        program = new BcProgram(source, variables, context);
        program.run();
      } catch (error) {
        stderr += `Runtime error: ${errorMessage(error)}\n`;
      }
      // Output before the failure stays printed.
      stdout += program?.output ?? "";
    }
    return { stdout, stderr };
  },
};

function statementsOf(text: string): string[] {
  const plain = text
    .replace(/\/\*[\s\S]*?\*\//g, " ")
    .replace(/#.*/g, "")
    .replace(/\\\n/g, "");
  const sources: string[] = [];
  let [open, depth] = ["", 0];
  for (const line of plain.split("\n")) {
    open += `${line}\n`;
    for (const character of line) depth += character === "{" ? 1 : character === "}" ? -1 : 0;
    if (depth > 0) continue;
    if (open.trim() !== "") sources.push(open);
    open = "";
  }
  return open.trim() === "" ? sources : [...sources, open];
}
