import { concatBytes } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import { createPrinter } from "../streams.ts";
import { printable } from "./hex-tables.ts";
import { PART_CHARACTERS, printParts } from "./rows.ts";

const ROW = 16;
const named: Record<number, string> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

interface Format {
  /** Bytes per unit. */
  size: number;
  width: number;
  text: (value: number, byte: number) => string;
  /** True if the characters follow each row. */
  isShown?: boolean;
}

/** Dumps bytes: `-t` with `x`, `o`, `d`, `u` (1, 2 or 4 bytes) and `c`, and the old letters for them. */
export const od: ShellCommand = {
  name: "od",
  async run(args, context) {
    const { options, given, operands } = parseArguments(args, {
      flags: "bcdosxv",
      valued: "AtNjw",
      long: {
        "address-radix": "A",
        format: "t",
        "read-bytes": "N",
        "skip-bytes": "j",
        "output-duplicates": "v",
      },
    });
    const short: Record<string, string> = { b: "o1", c: "c", d: "u2", o: "o2", s: "d2", x: "x2" };
    const types = given.flatMap(([name, value]) => (name === "t" ? [value] : (short[name] ?? [])));
    const formats = (types.length > 0 ? types : ["o2"]).map((type) => ({
      ...parseFormat(type),
      isShown: type.endsWith("z"),
    }));
    const parts = [];
    for (const operand of operands.length > 0 ? operands : ["-"]) {
      parts.push(await readOperand(context, operand));
    }
    const skip = Number(options.get("j") ?? 0);
    const bytes = concatBytes(parts).subarray(skip, skip + Number(options.get("N") ?? Infinity));
    const radix = { n: 0, d: 10, o: 8, x: 16 }[options.get("A") ?? "o"] ?? 8;
    const printer = createPrinter(context);
    await printParts(printer, dump(context, bytes, skip, radix, formats, options.has("v")));
    return { stdout: printer.rest() };
  },
};

function parseFormat(type: string): Format {
  const [, letter = "", digits = ""] = /^([acdoux])([1248C]?)z?$/.exec(type) ?? [];
  if (letter === "c" || letter === "a") {
    const text = (_value: number, byte: number): string =>
      named[byte] ??
      (byte > 31 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0"));
    return { size: 1, width: 4, text };
  }
  const size = digits === "C" ? 1 : Number(digits || 4);
  if (letter === "" || size > 4) throw new Error(`invalid type string '${type}'`);
  if (letter === "x" || letter === "o") {
    const radix = letter === "x" ? 16 : 8;
    const length = (2 ** (size * 8) - 1).toString(radix).length;
    const text = (value: number): string => value.toString(radix).padStart(length, "0");
    return { size, width: length + 1, text };
  }
  const half = 2 ** (size * 8 - 1);
  const isSigned = letter === "d";
  const text = (value: number): string =>
    String(isSigned && value >= half ? value - half * 2 : value);
  return { size, width: { 1: isSigned ? 5 : 4, 2: isSigned ? 7 : 6 }[size] ?? 12, text };
}

/** The dump in parts, so that none of it is a long text to encode. */
async function* dump(
  { pace }: ShellCommandContext,
  bytes: Uint8Array,
  offset: number,
  radix: number,
  formats: readonly Format[],
  isWhole: boolean,
): AsyncGenerator<string> {
  const address = (at: number): string =>
    radix === 0 ? "" : at.toString(radix).padStart(radix === 16 ? 6 : 7, "0");
  // Rows of several formats share the largest width, so that the same bytes align.
  const widest = Math.max(...formats.map(widthOfRow));
  let text = "";
  let before = "";
  let isRepeated = false;
  for (let start = 0; start < bytes.length; start += ROW) {
    const turn = pace();
    if (turn) await turn;
    const row = bytes.subarray(start, start + ROW);
    const key = row.join();
    if (!isWhole && key === before && row.length === ROW) {
      if (!isRepeated) text += "*\n";
      isRepeated = true;
      continue;
    }
    before = key;
    isRepeated = false;
    formats.forEach((format, at) => {
      const head = at === 0 ? address(offset + start) : " ".repeat(address(0).length);
      const line = `${head}${units(row, format, widest - widthOfRow(format))}`;
      const full = head.length + widest;
      text += `${format.isShown ? `${line.padEnd(full)}  >${printable(row)}<` : line}\n`;
    });
    if (text.length < PART_CHARACTERS) continue;
    yield text;
    text = "";
  }
  yield radix === 0 ? text : `${text}${address(offset + bytes.length)}\n`;
}

function widthOfRow({ size, width }: Format): number {
  return (ROW / size) * width;
}

/** Formats the units of a row, with `padding` spread over the number of units in a full row. */
function units(row: Uint8Array, { size, width, text }: Format, padding: number): string {
  const count = ROW / size;
  let line = "";
  for (let at = 0; at < row.length; at += size) {
    let value = 0;
    for (let byte = size - 1; byte >= 0; byte--) value = value * 256 + (row[at + byte] ?? 0);
    const left = count - at / size;
    const before =
      Math.trunc((padding * left) / count) - Math.trunc((padding * (left - 1)) / count);
    line += text(value, row[at] ?? 0).padStart(width + before);
  }
  return line;
}
