import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { forEachOperand } from "../byte-lines.ts";
import { fromByteString } from "../../bytes.ts";
import { readByteString } from "../byte-lines.ts";
import { createPrinter } from "../streams.ts";

const CHARACTERS_PER_STEP = 64;

/** Breaks lines at a width: `-b`, `-s`, `-w WIDTH`. Columns are those of bytes, as in GNU's. */
export const fold: ShellCommand = {
  name: "fold",
  async run(args, context) {
    const modern = args.flatMap((arg) => (/^-\d+$/.test(arg) ? ["-w", arg.slice(1)] : arg));
    const { options, operands } = parseArguments(modern, {
      flags: "bs",
      valued: "w",
      long: { bytes: "b", spaces: "s", width: "w" },
    });
    const written = options.get("w") ?? "80";
    if (!/^0*[1-9]\d*$/.test(written)) throw new Error(`invalid number of columns: '${written}'`);
    const folder = {
      width: Number(written),
      countsBytes: options.has("b"),
      atSpaces: options.has("s"),
    };
    const printer = createPrinter(context);
    const failed = await forEachOperand("fold", operands, async (operand) => {
      const text = await readByteString(context, operand);
      for (let at = 0; at < text.length;) {
        const found = text.indexOf("\n", at);
        const end = found === -1 ? text.length : found + 1;
        const turn = context.pace(1 + (end - at) / CHARACTERS_PER_STEP);
        if (turn) await turn;
        await printer.print(fromByteString(folded(text.slice(at, end), folder)));
        at = end;
      }
    });
    return { stdout: printer.rest(), ...failed };
  },
};

interface Folder {
  readonly width: number;
  readonly countsBytes: boolean;
  readonly atSpaces: boolean;
}

function folded(line: string, { width, countsBytes, atSpaces }: Folder): string {
  const advance = (column: number, character: string): number => {
    if (countsBytes) return column + 1;
    if (character === "\b") return Math.max(0, column - 1);
    if (character === "\r") return 0;
    return character === "\t" ? column + 8 - (column % 8) : column + 1;
  };
  const parts: string[] = [];
  let [start, column, space] = [0, 0, -1];
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "\n") break;
    let next = advance(column, character);
    if (next > width && at > start) {
      const cut = atSpaces && space >= start ? space + 1 : at;
      parts.push(line.slice(start, cut));
      start = cut;
      column = 0;
      for (let moved = cut; moved < at; moved++) column = advance(column, line.charAt(moved));
      next = advance(column, character);
      // The rest after a space may be too long by itself.
      if (next > width && at > start) {
        parts.push(line.slice(start, at));
        start = at;
        next = advance(0, character);
      }
    }
    if (character === " " || character === "\t") space = at;
    column = next;
  }
  parts.push(line.slice(start));
  return parts.join("\n");
}
