import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { concatBytes } from "@robota/runtime/ports";
import { explain, parseArguments, readOperand } from "../arguments.ts";
import { parseSize } from "../byte-lines.ts";
import { parseChunks } from "./chunks.ts";
import { piecesByBytes, piecesByLineBytes, piecesByLines } from "./pieces.ts";
import { createSuffixes } from "./suffixes.ts";

type Options = ReadonlyMap<string, string>;

/** Writes the parts of a file to files of their own: `-l -b -C -n -a -d -x -e -t`, `--additional-suffix`, `--verbose`. */
export const split: ShellCommand = {
  name: "split",
  async run(args, context) {
    const modern = args.flatMap((arg) => (/^-\d+$/.test(arg) ? ["-l", arg.slice(1)] : arg));
    const { options, operands } = parseArguments(modern, {
      flags: "deux",
      valued: "abClnt",
      long: {
        "additional-suffix": "additional-suffix",
        bytes: "b",
        "elide-empty-files": "e",
        "hex-suffixes": "x",
        "line-bytes": "C",
        lines: "l",
        number: "n",
        "numeric-suffixes": "d",
        separator: "t",
        "suffix-length": "a",
        unbuffered: "u",
        verbose: "verbose",
      },
    });
    const [name = "-", prefix = "x", extra] = operands;
    if (extra !== undefined) throw new Error(`extra operand '${extra}'`);
    if (["b", "C", "l", "n"].filter((letter) => options.has(letter)).length > 1)
      throw new Error("cannot split in more than one way");
    const bytes = await readOperand(context, name).catch((error: Error) => {
      const reason = error.message.slice(name.length + 2);
      throw new Error(`cannot open '${name}' for reading: ${reason}`, { cause: error });
    });
    const end = separatorOf(options);
    const written = options.get("n");
    if (written === undefined)
      return writePieces(context, piecesOf(bytes, options, end), prefix, options);
    const chunks = parseChunks(written);
    const pieces = chunks.split(bytes, end);
    if (chunks.only !== undefined) return { stdout: pieces[chunks.only - 1] ?? new Uint8Array() };
    const kept = options.has("e") ? pieces.filter(({ length }) => length > 0) : pieces;
    return writePieces(context, kept, prefix, options, pieces.length);
  },
};

function separatorOf(options: Options): number {
  const text = options.get("t") ?? "\n";
  if (text === "\\0") return 0;
  if (text.length !== 1) throw new Error(`multi-character separator '${text}'`);
  return text.charCodeAt(0);
}

function piecesOf(bytes: Uint8Array, options: Options, end: number): Iterable<Uint8Array> {
  const size = (name: string, what: string): number => {
    const text = options.get(name) ?? "";
    const count = parseSize(text);
    if (count === undefined || count < 1) throw new Error(`invalid number of ${what}: '${text}'`);
    return count;
  };
  if (options.has("b")) return piecesByBytes(bytes, size("b", "bytes"));
  if (options.has("C")) return piecesByLineBytes(bytes, size("C", "bytes"), end);
  return piecesByLines(bytes, options.has("l") ? size("l", "lines") : 1_000, end);
}

async function writePieces(
  { fs, resolve, pace }: ShellCommandContext,
  pieces: Iterable<Uint8Array>,
  prefix: string,
  options: Options,
  count?: number,
): Promise<{ stdout: string }> {
  const suffixes = createSuffixes(options, count);
  const ending = options.get("additional-suffix") ?? "";
  if (ending.includes("/"))
    throw new Error(`invalid suffix '${ending}', contains directory separator`);
  let stdout = "";
  for (const piece of pieces) {
    const turn = pace();
    if (turn) await turn;
    const name = prefix + suffixes.next() + ending;
    if (options.has("verbose")) stdout += `creating file '${name}'\n`;
    await fs.writeFile(resolve(name), concatBytes([piece])).catch((error: unknown) => {
      throw new Error(`${name}: ${explain(error)}`, { cause: error });
    });
  }
  return { stdout };
}
