import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { createPrinter, type Printer } from "../streams.ts";
import { compileNumberFormat } from "./number-format.ts";

const MAX_NUMBERS = 5_000_000;
const NUMBERS_PER_PART = 4096;
const NUMBERS_PER_STEP = 64;
const NUMBER = /^[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|0x[\da-f]+|inf(?:inity)?)$/i;

/** Prints numbers: `-f FORMAT`, `-s SEPARATOR`, `-w`. */
export const seq: ShellCommand = {
  name: "seq",
  async run(args, context) {
    const { options, operands } = parseArguments(
      protectNegatives(args),
      {
        flags: "w",
        valued: "fs",
        long: { "equal-width": "w", format: "f", separator: "s" },
      },
      { stopAtOperand: true },
    );
    const [one, two, three, extra] = operands;
    if (one === undefined) throw new Error("missing operand");
    if (extra !== undefined) throw new Error(`extra operand '${extra}'`);
    const wrong = operands.find((operand) => !NUMBER.test(operand));
    if (wrong !== undefined) throw new Error(`invalid floating point argument: '${wrong}'`);
    const [first, step, last] =
      two === undefined
        ? ["1", "1", one]
        : three === undefined
          ? [one, "1", two]
          : [one, two, three];
    if (numberOf(step) === 0) throw new Error(`invalid Zero increment value: '${step}'`);
    const separator = options.get("s") ?? "\n";
    const printer = createPrinter(context);
    const isPlain = options.size === 0 && operands.every((operand) => /^-?\d{1,15}$/.test(operand));
    if (isPlain) await count(context, printer, Number(first), Number(step), Number(last));
    else {
      const range = { first: numberOf(first), step: numberOf(step), last: numberOf(last) };
      const format = formatOf(options, [first, step, last]);
      await printNumbers(context, printer, { ...range, format, separator });
    }
    return { stdout: printer.rest() };
  },
};

/** Keeps a negative number in the first place from being taken for an option. */
function protectNegatives(args: readonly string[]): readonly string[] {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (/^-[\d.]/.test(arg)) return [...args.slice(0, at), "--", ...args.slice(at)];
    if (!arg.startsWith("-")) return args;
    if (/^(?:-f|-s|--format|--separator)$/.test(arg)) at += 1;
  }
  return args;
}

function numberOf(text: string): number {
  if (/inf/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  const sign = text.startsWith("-") ? -1 : 1;
  return sign * Number(text.replace(/^[-+]/, ""));
}

type Format = (value: number) => string;

/** The format of the numbers: given, or with the digits and the width that the operands have. */
function formatOf(options: ReadonlyMap<string, string>, texts: readonly string[]): Format {
  const written = options.get("f");
  if (written !== undefined) return compileNumberFormat(written);
  const [first = "", step = "", last = ""] = texts;
  const decimals = Math.max(decimalsOf(first), decimalsOf(step));
  const plain: Format = (value) => (value === 0 ? (0).toFixed(decimals) : value.toFixed(decimals));
  if (!options.has("w")) return plain;
  const width = Math.max(widthOf(first, decimals), widthOf(last, decimals));
  return (value) => {
    const digits = plain(Math.abs(value));
    const sign = value < 0 ? "-" : "";
    return sign + digits.padStart(width - sign.length, "0");
  };
}

function decimalsOf(text: string): number {
  const [, decimals = "", exponent = "0"] = /^[^.e]*\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  return text.includes("x") ? 0 : Math.max(0, decimals.length - Number(exponent));
}

function widthOf(text: string, decimals: number): number {
  const value = numberOf(text);
  return (value < 0 || text.startsWith("-") ? 1 : 0) + Math.abs(value).toFixed(decimals).length;
}

interface Numbers {
  readonly first: number;
  readonly step: number;
  readonly last: number;
  readonly format: Format;
  readonly separator: string;
}

async function printNumbers(
  { pace, print }: ShellCommandContext,
  printer: Printer,
  { first, step, last, format, separator }: Numbers,
): Promise<void> {
  // A value that only rounding puts behind the last one counts.
  const slack = Math.abs(step) * 1e-10;
  const isWithin = (value: number): boolean =>
    step > 0 ? value <= last + slack : value >= last - slack;
  let part = "";
  let at = 0;
  for (; isWithin(first + at * step); at++) {
    if (!print && at > MAX_NUMBERS) throw new Error(`more than ${MAX_NUMBERS} numbers`);
    const turn = pace(1 / 4);
    if (turn) await turn;
    part += (at === 0 ? "" : separator) + format(first + at * step);
    if (at % NUMBERS_PER_PART !== 0) continue;
    await printer.print(part);
    part = "";
  }
  if (at > 0) await printer.print(`${part}\n`);
}

export async function count(
  { pace, print }: ShellCommandContext,
  printer: Printer,
  first: number,
  step: number,
  last: number,
): Promise<void> {
  const length = Math.max(0, Math.floor((last - first) / step) + 1);
  if (!print && length > MAX_NUMBERS) throw new Error(`more than ${MAX_NUMBERS} numbers`);
  for (let from = 0; from < length; from += NUMBERS_PER_PART) {
    const turn = pace(NUMBERS_PER_PART / NUMBERS_PER_STEP);
    if (turn) await turn;
    let part = "";
    const to = Math.min(length, from + NUMBERS_PER_PART);
    for (let at = from; at < to; at++) part += `${first + at * step}\n`;
    await printer.print(part);
  }
}
