import { concatBytes, encodeText } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { parseArguments, readOperand, type Arguments } from "../arguments.ts";
import { forEachOperand, parseSize } from "../byte-lines.ts";
import { readEndless } from "../process/endless.ts";
import { createPrinter, inputOf } from "../streams.ts";

const NEWLINE = 10;

interface Amount {
  unit: "lines" | "bytes";
  count: number;
  /** `head -n -3`: all but the last three. `tail -n +3`: from the third on. */
  isInverted: boolean;
}

function amountOf(options: Arguments["options"], sign: "+" | "-"): Amount {
  const [unit, text] = options.has("c")
    ? (["bytes", options.get("c") ?? ""] as const)
    : (["lines", options.get("n") ?? "10"] as const);
  const count = parseSize(text.replace(/^[+-]/, ""));
  if (count === undefined) throw new Error(`invalid number of ${unit}: '${text}'`);
  return { unit, count, isInverted: text.startsWith(sign) };
}

/** `head -5` and `tail -5` mean `-n 5`. */
function modern(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const digits = /^-(\d+)([qv]?)$/.exec(arg);
    const isValue = /^-[qvz]*[nc]$|^--(?:lines|bytes)$/.test(args[at - 1] ?? "");
    if (digits && !isValue) return ["-n", digits[1] ?? "", ...(digits[2] ? [`-${digits[2]}`] : [])];
    return arg;
  });
}

async function print(
  program: string,
  operands: readonly string[],
  options: Arguments["options"],
  context: ShellCommandContext,
  select: (bytes: Uint8Array) => Uint8Array,
): Promise<ShellCommandResult> {
  const parts: Uint8Array[] = [];
  const isTitled = options.has("v") || (operands.length > 1 && !options.has("q"));
  const failed = await forEachOperand(program, operands, async (operand) => {
    const bytes = await readOperand(context, operand).catch((error: Error) => {
      throw new Error(`cannot open ${error.message.replace(/^(.*?):/, "'$1' for reading:")}`, {
        cause: error,
      });
    });
    if (isTitled) {
      const name = operand === "-" ? "standard input" : operand;
      parts.push(encodeText(`${parts.length > 0 ? "\n" : ""}==> ${name} <==\n`));
    }
    parts.push(select(bytes));
  });
  return { stdout: concatBytes(parts), ...failed };
}

/** The offset after the `count`-th line from the start, or the end. */
function afterLine(bytes: Uint8Array, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line++) {
    const end = bytes.indexOf(NEWLINE, at);
    if (end === -1) return bytes.length;
    at = end + 1;
  }
  return at;
}

/** The offset where the last `count` lines begin. */
function beforeLine(bytes: Uint8Array, count: number): number {
  if (count === 0) return bytes.length;
  let at = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  for (let line = 0; line < count; line++) {
    const end = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1);
    if (end === -1) return 0;
    at = end;
  }
  return at + 1;
}

const long = { lines: "n", bytes: "c", quiet: "q", silent: "q", verbose: "v" };

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
    return print("head", operands, options, context, (bytes) => {
      if (unit === "bytes")
        return bytes.subarray(0, isInverted ? Math.max(0, bytes.length - count) : count);
      return bytes.subarray(0, isInverted ? beforeLine(bytes, count) : afterLine(bytes, count));
    });
  },
};

/** Reads no more than it needs. */
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

/** `-f` prints what is there and ends: nothing else runs meanwhile that could add to it. */
export const tail: ShellCommand = {
  name: "tail",
  async run(args, context) {
    const plain = args.map((arg, at) => (at === 0 && /^\+\d+$/.test(arg) ? `-n${arg}` : arg));
    const { options, operands } = parseArguments(modern(plain), {
      flags: "fFqvz",
      valued: "ncs",
      long: { ...long, follow: "f" },
    });
    const { unit, count, isInverted } = amountOf(options, "+");
    return print("tail", operands, options, context, (bytes) => {
      const start = Math.max(0, count - 1);
      if (unit === "bytes") {
        return bytes.subarray(isInverted ? start : Math.max(0, bytes.length - count));
      }
      return bytes.subarray(isInverted ? afterLine(bytes, start) : beforeLine(bytes, count));
    });
  },
};
