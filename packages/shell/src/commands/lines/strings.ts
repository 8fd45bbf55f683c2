import type { ShellCommand } from "../../command.ts";
import { fromByteString, toByteString } from "../../bytes.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import { forEachOperand } from "../byte-lines.ts";
import { createPrinter } from "../streams.ts";

const RADIX: Readonly<Record<string, number>> = { d: 10, o: 8, x: 16 };
const POSITION_WIDTH = 7;
const BYTES_PER_STEP = 256;

interface Encoding {
  /** Bytes of a character. */
  readonly size: number;
  /** The byte with the character within them. */
  readonly byte: number;
  readonly isPrintable: (code: number) => boolean;
}

const isAscii = (code: number): boolean => code === 9 || (code >= 32 && code < 127);

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  s: { size: 1, byte: 0, isPrintable: isAscii },
  S: { size: 1, byte: 0, isPrintable: (code) => isAscii(code) || code >= 128 },
  b: { size: 2, byte: 1, isPrintable: isAscii },
  l: { size: 2, byte: 0, isPrintable: isAscii },
  B: { size: 4, byte: 3, isPrintable: isAscii },
  L: { size: 4, byte: 0, isPrintable: isAscii },
};

/** Prints the printable texts of files: `-a`, `-n LENGTH`, `-t RADIX`, `-o`, `-f`, `-e ENCODING`, `-w`, `-s TEXT`. */
export const strings: ShellCommand = {
  name: "strings",
  async run(args, context) {
    const modern = args.flatMap((arg) => (/^-\d+$/.test(arg) ? ["-n", arg.slice(1)] : arg));
    const { options, given, operands } = parseArguments(modern, {
      flags: "adfow",
      valued: "nteTs",
      long: {
        all: "a",
        bytes: "n",
        data: "d",
        encoding: "e",
        "include-all-whitespace": "w",
        "output-separator": "s",
        "print-file-name": "f",
        radix: "t",
      },
    });
    const least = Number(options.get("n") ?? 4);
    if (!Number.isInteger(least) || least < 1)
      throw new Error(`invalid minimum string length ${options.get("n") ?? ""}`);
    const written = given.findLast(([name]) => name === "t" || name === "o");
    const radix = written && (written[0] === "o" ? 8 : RADIX[written[1]]);
    if (written && radix === undefined) throw new Error(`invalid radix '${written[1]}'`);
    const encoding = ENCODINGS[options.get("e") ?? "s"];
    if (!encoding) throw new Error(`invalid encoding '${options.get("e") ?? ""}'`);
    const search = { encoding, least, takesSpace: options.has("w"), pace: context.pace };
    const end = options.get("s") ?? "\n";
    const printer = createPrinter(context);
    const failed = await forEachOperand("strings", operands, async (operand) => {
      const bytes = await readOperand(context, operand);
      const name = operand === "-" ? "{standard input}" : operand;
      const title = options.has("f") ? `${name}: ` : "";
      for await (const [position, text] of textsOf(bytes, search)) {
        const place =
          radix === undefined ? "" : `${position.toString(radix).padStart(POSITION_WIDTH)} `;
        await printer.print(fromByteString(title + place + text + end));
      }
    });
    return { stdout: printer.rest(), ...failed };
  },
};

interface Search {
  readonly encoding: Encoding;
  readonly least: number;
  readonly takesSpace: boolean;
  readonly pace: (steps?: number) => Promise<void> | undefined;
}

/** The printable texts of at least the wanted length, with their positions. */
async function* textsOf(
  bytes: Uint8Array,
  { encoding: { size, byte, isPrintable }, least, takesSpace, pace }: Search,
): AsyncGenerator<readonly [position: number, text: string]> {
  let codes: number[] = [];
  let start = 0;
  for (let at = 0; at <= bytes.length;) {
    if (at % BYTES_PER_STEP === 0) {
      const turn = pace();
      if (turn) await turn;
    }
    const code = at + size <= bytes.length ? codeAt(bytes, at, size, byte) : undefined;
    const isText =
      code !== undefined && (isPrintable(code) || (takesSpace && code >= 9 && code <= 13));
    if (isText) {
      if (codes.length === 0) start = at;
      codes.push(code);
      at += size;
      continue;
    }
    if (codes.length >= least) yield [start, toByteString(Uint8Array.from(codes))];
    // A character may begin at any byte.
    at += 1;
    codes = [];
  }
}

/** The code of a character whose other bytes are zero. */
function codeAt(bytes: Uint8Array, at: number, size: number, byte: number): number | undefined {
  for (let offset = 0; offset < size; offset++)
    if (offset !== byte && bytes[at + offset] !== 0) return undefined;
  return bytes[at + byte];
}
