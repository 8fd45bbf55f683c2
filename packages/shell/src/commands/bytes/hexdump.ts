import { concatBytes } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import { createPrinter } from "../streams.ts";
import { printable } from "./hex-tables.ts";
import { hex, parseNumber, PART_CHARACTERS, printParts, rowsOf } from "./rows.ts";

/** `-C`, `-x`, `-n`, `-s`, `-v`, and formats of one conversion per unit (`-e '1/1 "%02x"'`). */
export const hexdump: ShellCommand = {
  name: "hexdump",
  async run(args, context) {
    const { options, operands } = parseArguments(args, { flags: "Cxvbcdo", valued: "nse" });
    const whole = await readAll(context, operands);
    const start = parseNumber(options.get("s")) ?? 0;
    const bytes = whole.subarray(start, start + (parseNumber(options.get("n")) ?? whole.length));
    const format = options.get("e");
    if (format !== undefined) return { stdout: formatted(bytes, format) };
    const printer = createPrinter(context);
    const form = { start, isCanonical: options.has("C"), isWhole: options.has("v") };
    await printParts(printer, dump(context, bytes, form));
    return { stdout: printer.rest() };
  },
};

interface Form {
  /** The offset of the first byte. */
  readonly start: number;
  readonly isCanonical: boolean;
  /** True when repeated rows are shown. */
  readonly isWhole: boolean;
}

async function* dump(
  { pace }: ShellCommandContext,
  bytes: Uint8Array,
  { start, isCanonical, isWhole }: Form,
): AsyncGenerator<string> {
  if (bytes.length === 0) return;
  const address = (at: number): string => at.toString(16).padStart(isCanonical ? 8 : 7, "0");
  let [text, before, isRepeated] = ["", "", false];
  for (const [at, row] of rowsOf(bytes, 16)) {
    const turn = pace();
    if (turn) await turn;
    const key = row.join();
    if (!isWhole && row.length === 16 && key === before) {
      if (!isRepeated) text += "*\n";
      isRepeated = true;
      continue;
    }
    [before, isRepeated] = [key, false];
    text += `${address(start + at)}${isCanonical ? canonical(row) : words(row)}\n`;
    if (text.length < PART_CHARACTERS) continue;
    yield text;
    text = "";
  }
  yield `${text}${address(start + bytes.length)}\n`;
}

async function readAll(
  context: ShellCommandContext,
  operands: readonly string[],
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const operand of operands.length > 0 ? operands : ["-"]) {
    parts.push(await readOperand(context, operand));
  }
  return concatBytes(parts);
}

function canonical(row: Uint8Array): string {
  const half = (from: number): string =>
    Array.from(row.subarray(from, from + 8), (byte) => ` ${hex(byte)}`)
      .join("")
      .padEnd(24);
  return ` ${half(0)} ${half(8)}  |${printable(row)}|`;
}

function words(row: Uint8Array): string {
  let text = "";
  for (let at = 0; at < row.length; at += 2)
    text += ` ${hex(row[at + 1] ?? 0)}${hex(row[at] ?? 0)}`;
  return text.padEnd(40);
}

function formatted(bytes: Uint8Array, format: string): string {
  const match = /^\s*(?:(\d+)\/(\d+)\s+)?"([^"]*)"\s*$/.exec(format);
  const [, , size = "1", text = ""] = match ?? [];
  if (!match || size !== "1")
    throw new Error(`unsupported format: ${format}; use xxd -p or od -An -tx1`);
  return Array.from(bytes, (byte) =>
    text
      .replace(/%(0?)(\d*)([xXdoc])/g, (_whole, zero: string, width: string, letter: string) => {
        const radix = { x: 16, X: 16, o: 8 }[letter] ?? 10;
        const figures = letter === "c" ? String.fromCharCode(byte) : byte.toString(radix);
        return (letter === "X" ? figures.toUpperCase() : figures).padStart(
          Number(width),
          zero || " ",
        );
      })
      .replaceAll("\\n", "\n"),
  ).join("");
}
