import { concatBytes, encodeText } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import { printable } from "./hex-tables.ts";
import { hex, parseNumber, rowsOf } from "./rows.ts";

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
  const start = parseNumber(options.get("s")) ?? 0;
  const bytes = whole.subarray(start, start + (parseNumber(options.get("l")) ?? whole.length));
  const isUpper = options.has("u");
  if (options.has("p")) {
    const width = parseNumber(options.get("c")) ?? 30;
    const rows = [...rowsOf(bytes, width === 0 ? Math.max(1, bytes.length) : width)];
    return rows
      .map(([, row]) => `${Array.from(row, (byte) => hex(byte, isUpper)).join("")}\n`)
      .join("");
  }
  if (options.has("i")) return include(bytes, name, parseNumber(options.get("c")) ?? 12);
  const isBits = options.has("b");
  const width = parseNumber(options.get("c")) ?? (isBits ? 6 : 16);
  const group = parseNumber(options.get("g")) ?? (isBits ? 1 : 2);
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
