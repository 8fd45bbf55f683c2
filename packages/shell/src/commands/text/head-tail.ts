import { concatBytes, encodeText } from "@robota/runtime/ports";
import type { ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { readOperand, type Arguments } from "../arguments.ts";
import { forEachOperand, parseSize } from "../byte-lines.ts";

export const NEWLINE = 10;

export interface Amount {
  unit: "lines" | "bytes";
  count: number;
  /** `head -n -3`: all but the last three. `tail -n +3`: from the third one. */
  isInverted: boolean;
}

export function amountOf(options: Arguments["options"], sign: "+" | "-"): Amount {
  const [unit, text] = options.has("c")
    ? (["bytes", options.get("c") ?? ""] as const)
    : (["lines", options.get("n") ?? "10"] as const);
  const count = parseSize(text.replace(/^[+-]/, ""));
  if (count === undefined) throw new Error(`invalid number of ${unit}: '${text}'`);
  return { unit, count, isInverted: text.startsWith(sign) };
}

/** Rewrites `head -5` and `tail -5` to `-n 5`. */
export function modern(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const digits = /^-(\d+)([qv]?)$/.exec(arg);
    const isValue = /^-[qvz]*[nc]$|^--(?:lines|bytes)$/.test(args[at - 1] ?? "");
    if (digits && !isValue) return ["-n", digits[1] ?? "", ...(digits[2] ? [`-${digits[2]}`] : [])];
    return arg;
  });
}

/** Prints the selection of each operand, under its name if there are several. */
export async function printSelected(
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

/** The offset after the first `count` lines, or the end. */
export function afterLine(bytes: Uint8Array, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line++) {
    const end = bytes.indexOf(NEWLINE, at);
    if (end === -1) return bytes.length;
    at = end + 1;
  }
  return at;
}

/** The offset of the last `count` lines. */
export function beforeLine(bytes: Uint8Array, count: number): number {
  if (count === 0) return bytes.length;
  let at = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  for (let line = 0; line < count; line++) {
    const end = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1);
    if (end === -1) return 0;
    at = end;
  }
  return at + 1;
}

/** Long options of both programs. */
export const long = { lines: "n", bytes: "c", quiet: "q", silent: "q", verbose: "v" };
