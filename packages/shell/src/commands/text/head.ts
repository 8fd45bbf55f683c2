import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { readEndless } from "../bytes/endless.ts";
import { createPrinter, inputOf } from "../streams.ts";
import {
  NEWLINE,
  type Amount,
  amountOf,
  modern,
  printSelected,
  afterLine,
  beforeLine,
  long,
} from "./head-tail.ts";

export const head: ShellCommand = {
  name: "head",
  async run(args, context) {
    const { options, operands } = parseArguments(modern(args), {
      flags: "qvz",
      valued: "nc",
      long,
    });
    const { unit, count, isInverted } = amountOf(options, "-");
    const [only = "-", ...others] = operands;
    if (only === "-" && others.length === 0 && !isInverted && !options.has("v"))
      return headOfInput(context, unit, count);
    if (others.length === 0 && unit === "bytes" && !isInverted) {
      const bytes = readEndless(context.resolve(only), count);
      if (bytes) return { stdout: bytes };
    }
    return printSelected("head", operands, options, context, (bytes) => {
      if (unit === "bytes")
        return bytes.subarray(0, isInverted ? Math.max(0, bytes.length - count) : count);
      return bytes.subarray(0, isInverted ? beforeLine(bytes, count) : afterLine(bytes, count));
    });
  },
};

/** Reads no more input than needed. */
async function headOfInput(
  context: ShellCommandContext,
  unit: Amount["unit"],
  count: number,
): Promise<ShellCommandResult> {
  const printer = createPrinter(context);
  const input = inputOf(context);
  let left = count;
  while (left > 0) {
    const part = await input();
    if (!part) break;
    const end = unit === "bytes" ? Math.min(left, part.length) : afterLine(part, left);
    const taken = part.subarray(0, end);
    left -= unit === "bytes" ? end : countLines(taken);
    await printer.print(taken);
  }
  return { stdout: printer.rest() };
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
