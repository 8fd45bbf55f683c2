import { concatBytes, encodeText } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import { readEndless } from "../process/endless.ts";
import { parseSize } from "../byte-lines.ts";
import { HEX, printable } from "./hex-tables.ts";

function hex(byte: number, isUpper = false): string {
  const text = HEX[byte] ?? "";
  return isUpper ? text.toUpperCase() : text;
}

function number(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^0x/i.test(text) ? Number(text) : parseSize(text);
  if (value === undefined || Number.isNaN(value)) throw new Error(`invalid number '${text}'`);
  return value;
}

function* rowsOf(bytes: Uint8Array, width: number): Generator<readonly [number, Uint8Array]> {
  for (let at = 0; at < bytes.length; at += width) yield [at, bytes.subarray(at, at + width)];
}

/** Dumps bytes and reads dumps back: `-p`, `-r`, `-u`, `-i`, `-c`, `-g`, `-l`, `-s`. */
export const xxd: ShellCommand = {
  name: "xxd",
  async run(args, context) {
    const { options, operands } = parseArguments(
      args.map((arg) => (arg === "-ps" || arg === "-plain" || arg === "-postscript" ? "-p" : arg)),
      { flags: "pruiabeE", valued: "clsgo" },
    );
    const input = operands[0] ?? "-";
    const whole = await readOperand(context, input);
    const output = options.has("r")
      ? undump(decodeBytes(whole), options.has("p"))
      : encodeText(await dump(context, whole, input, options));
    const target = operands[1];
    if (target === undefined) return { stdout: output };
    await context.fs.writeFile(context.resolve(target), output);
    return {};
  },
};

function decodeBytes(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

async function dump(
  { pace }: ShellCommandContext,
  whole: Uint8Array,
  name: string,
  options: ReadonlyMap<string, string>,
): Promise<string> {
  const start = number(options.get("s")) ?? 0;
  const bytes = whole.subarray(start, start + (number(options.get("l")) ?? whole.length));
  const isUpper = options.has("u");
  if (options.has("p")) {
    const width = number(options.get("c")) ?? 30;
    const rows = [...rowsOf(bytes, width === 0 ? Math.max(1, bytes.length) : width)];
    return rows
      .map(([, row]) => `${Array.from(row, (byte) => hex(byte, isUpper)).join("")}\n`)
      .join("");
  }
  if (options.has("i")) return include(bytes, name, number(options.get("c")) ?? 12);
  const isBits = options.has("b");
  const width = number(options.get("c")) ?? (isBits ? 6 : 16);
  const group = number(options.get("g")) ?? (isBits ? 1 : 2);
  const size = isBits ? 8 : 2;
  const columns = width * size + Math.ceil(width / (group || width));
  let text = "";
  for (const [at, row] of rowsOf(bytes, width)) {
    const turn = pace();
    if (turn) await turn;
    let figures = "";
    row.forEach((byte, index) => {
      figures += isBits ? byte.toString(2).padStart(8, "0") : hex(byte, isUpper);
      if (group > 0 && (index + 1) % group === 0) figures += " ";
    });
    text += `${(start + at).toString(16).padStart(8, "0")}: ${figures.padEnd(columns)} ${printable(row)}\n`;
  }
  return text;
}

function include(bytes: Uint8Array, name: string, width: number): string {
  const rows = [...rowsOf(bytes, width)].map(
    ([, row]) => `  ${Array.from(row, (byte) => `0x${hex(byte)}`).join(", ")}`,
  );
  const list = `${rows.join(",\n")}\n`;
  if (name === "-") return list;
  const identifier = name.replace(/[^A-Za-z0-9]/g, "_");
  return `unsigned char ${identifier}[] = {\n${list}};\nunsigned int ${identifier}_len = ${bytes.length};\n`;
}

function undump(text: string, isPlain: boolean): Uint8Array {
  const parse = (figures: string): Uint8Array =>
    Uint8Array.from(figures.match(/[\da-fA-F]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16));
  if (isPlain) return parse(text.replace(/\s+/g, ""));
  let output = new Uint8Array();
  for (const line of text.split("\n")) {
    const [, offset, figures = ""] = /^([\da-fA-F]+):\s?((?:[\da-fA-F]{2,}\s?)*)/.exec(line) ?? [];
    if (offset === undefined) continue;
    const bytes = parse(figures);
    const at = Number.parseInt(offset, 16);
    if (at + bytes.length > output.length) {
      output = concatBytes([output, new Uint8Array(at + bytes.length - output.length)]).slice();
    }
    output.set(bytes, at);
  }
  return output;
}

/** `-C`, `-x`, `-n`, `-s`, `-v`, and formats of one conversion per unit (`-e '1/1 "%02x"'`). */
export const hexdump: ShellCommand = {
  name: "hexdump",
  async run(args, context) {
    const { options, operands } = parseArguments(args, { flags: "Cxvbcdo", valued: "nse" });
    const whole = await readAll(context, operands);
    const start = number(options.get("s")) ?? 0;
    const bytes = whole.subarray(start, start + (number(options.get("n")) ?? whole.length));
    const format = options.get("e");
    if (format !== undefined) return { stdout: formatted(bytes, format) };
    const isCanonical = options.has("C");
    const address = (at: number): string => at.toString(16).padStart(isCanonical ? 8 : 7, "0");
    let [text, before] = ["", ""];
    for (const [at, row] of rowsOf(bytes, 16)) {
      const turn = context.pace();
      if (turn) await turn;
      const key = row.join();
      if (!options.has("v") && row.length === 16 && key === before) {
        if (!text.endsWith("*\n")) text += "*\n";
        continue;
      }
      before = key;
      const figures = isCanonical ? canonical(row) : words(row);
      text += `${address(start + at)}${figures}\n`;
    }
    return { stdout: bytes.length === 0 ? "" : `${text}${address(start + bytes.length)}\n` };
  },
};

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
    throw new Error(`this format is not known here: ${format}; use xxd -p or od -An -tx1`);
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

/** Reads and writes blocks: `if`, `of`, `bs`, `count`, `skip`, `seek`, `conv=notrunc`, `status`. */
export const dd: ShellCommand = {
  name: "dd",
  async run(args, context) {
    const given = new Map(
      args.map((arg) => {
        const [name = "", ...value] = arg.split("=");
        if (
          ![
            "if",
            "of",
            "bs",
            "ibs",
            "obs",
            "count",
            "skip",
            "seek",
            "conv",
            "status",
            "iflag",
            "oflag",
          ].includes(name)
        ) {
          throw new Error(`unrecognized operand '${arg}'`);
        }
        return [name, value.join("=")] as const;
      }),
    );
    const block = number(given.get("bs") ?? given.get("ibs")) ?? 512;
    const count = number(given.get("count"));
    const source = given.get("if") ?? "-";
    const skip = (number(given.get("skip")) ?? 0) * block;
    const limit = count === undefined ? undefined : count * block;
    if (limit !== undefined && limit > LARGEST) throw new Error(`more than ${LARGEST} bytes`);
    const asked = limit === undefined ? undefined : skip + limit;
    const input = readEndless(source, asked) ?? (await readOperand(context, source));
    const bytes = input.subarray(skip, limit === undefined ? undefined : skip + limit);
    const records = `${Math.floor(bytes.length / block)}+${bytes.length % block > 0 ? 1 : 0}`;
    const facts = `${records} records in\n${records} records out\n`;
    const status = given.get("status");
    const total = `${bytes.length} bytes copied\n`;
    const stderr = status === "none" ? "" : status === "noxfer" ? facts : facts + total;
    const target = given.get("of");
    if (target === undefined) return { stdout: bytes, stderr };
    const path = context.resolve(target);
    const seek = (number(given.get("seek")) ?? 0) * block;
    const isKept = (given.get("conv") ?? "").split(",").includes("notrunc");
    const before =
      seek > 0 || isKept
        ? await context.fs.readFile(path).catch(() => new Uint8Array())
        : new Uint8Array();
    const end = isKept ? Math.max(before.length, seek + bytes.length) : seek + bytes.length;
    const output = new Uint8Array(end);
    output.set(before.subarray(0, end));
    output.set(bytes, seek);
    await context.fs.writeFile(path, output);
    return { stderr };
  },
};

const LARGEST = 256 * 1024 * 1024;
