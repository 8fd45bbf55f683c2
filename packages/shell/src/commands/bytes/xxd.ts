import { concatBytes } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import { createPrinter } from "../streams.ts";
import { printable } from "./hex-tables.ts";
import { hex, parseNumber, PART_CHARACTERS, printParts, rowsOf } from "./rows.ts";

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
    const target = operands[1];
    // What goes into a file is not streamed.
    const printer = createPrinter(target === undefined ? context : {});
    if (options.has("r")) await printer.print(undump(decodeBytes(whole), options.has("p")));
    else await printParts(printer, dump(context, whole, input, options));
    if (target === undefined) return { stdout: printer.rest() };
    await context.fs.writeFile(context.resolve(target), printer.rest());
    return {};
  },
};

function decodeBytes(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

async function* dump(
  { pace }: ShellCommandContext,
  whole: Uint8Array,
  name: string,
  options: ReadonlyMap<string, string>,
): AsyncGenerator<string> {
  const start = parseNumber(options.get("s")) ?? 0;
  const bytes = whole.subarray(start, start + (parseNumber(options.get("l")) ?? whole.length));
  const isUpper = options.has("u");
  if (options.has("p")) {
    const width = parseNumber(options.get("c")) ?? 30;
    yield* plain(pace, bytes, width === 0 ? Math.max(1, bytes.length) : width, isUpper);
    return;
  }
  if (options.has("i")) {
    yield include(bytes, name, parseNumber(options.get("c")) ?? 12);
    return;
  }
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
    if (text.length < PART_CHARACTERS) continue;
    yield text;
    text = "";
  }
  yield text;
}

async function* plain(
  pace: ShellCommandContext["pace"],
  bytes: Uint8Array,
  width: number,
  isUpper: boolean,
): AsyncGenerator<string> {
  let text = "";
  for (const [, row] of rowsOf(bytes, width)) {
    const turn = pace(1 + row.length / 16);
    if (turn) await turn;
    for (const byte of row) text += hex(byte, isUpper);
    text += "\n";
    if (text.length < PART_CHARACTERS) continue;
    yield text;
    text = "";
  }
  yield text;
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
