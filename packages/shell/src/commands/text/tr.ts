import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { createPrinter, inputOf } from "../streams.ts";
import { type ByteSet, parseSet } from "./tr-sets.ts";

type Options = ReadonlyMap<string, string>;

const BYTES_PER_STEP = 256;
const PART = 64 * 1024;

/** Replaces, squeezes or deletes bytes as they arrive: `-c`, `-d`, `-s`, `-t`. */
export const tr: ShellCommand = {
  name: "tr",
  async run(args, context) {
    const { options, operands } = parseArguments(
      args,
      {
        flags: "cCdst",
        long: {
          complement: "c",
          delete: "d",
          "squeeze-repeats": "s",
          "truncate-set1": "t",
        },
      },
      { stopAtOperand: true },
    );
    const convert = converter(options, operands);
    const next = inputOf(context);
    const printer = createPrinter(context);
    for (let part = await next(); part; part = await next()) {
      for (let at = 0; at < part.length; at += PART) {
        const bytes = part.subarray(at, at + PART);
        const turn = context.pace(bytes.length / BYTES_PER_STEP);
        if (turn) await turn;
        await printer.print(convert(bytes));
      }
    }
    return { stdout: printer.rest() };
  },
};

/** Converts the next bytes of the input. */
type Convert = (bytes: Uint8Array) => Uint8Array;

function converter(options: Options, operands: readonly string[]): Convert {
  const [first, second, extra] = operands;
  const [deletes, squeezes] = [options.has("d"), options.has("s")];
  if (first === undefined) throw new Error("missing operand");
  if (extra !== undefined) throw new Error(`extra operand '${extra}'`);
  if (second === undefined && deletes === squeezes)
    throw new Error(`missing operand after '${first}'`);
  if (second !== undefined && deletes && !squeezes) throw new Error(`extra operand '${second}'`);
  const isComplement = options.has("c") || options.has("C");
  const source = parseSet(first);
  if (source.fill) throw new Error("the [c*] repeat construct may not appear in string1");
  const from = isComplement ? complement(source.bytes) : source.bytes;
  const target = second === undefined ? undefined : parseSet(second);
  const deleted = deletes ? tableOf(from) : undefined;
  const replaced =
    target && !deletes
      ? replacements({ ...source, bytes: from }, target, options, isComplement)
      : undefined;
  const squeezed = squeezes ? tableOf(target ? target.bytes : from) : undefined;
  if (squeezed && target?.fill) squeezed[target.fill.byte] = 1;
  let last = -1;
  return (bytes) => {
    const output = new Uint8Array(bytes.length);
    let length = 0;
    for (const byte of bytes) {
      if (deleted?.[byte]) continue;
      const written = replaced ? (replaced[byte] ?? byte) : byte;
      if (squeezed?.[written] && written === last) continue;
      output[length++] = last = written;
    }
    return output.subarray(0, length);
  };
}

function complement(bytes: readonly number[]): number[] {
  const own = new Set(bytes);
  return Array.from({ length: 256 }, (_byte, at) => at).filter((byte) => !own.has(byte));
}

function tableOf(bytes: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}

/** The byte for each byte: the second set is as long as the first, by its repetition or its last byte. */
function replacements(
  source: ByteSet,
  target: ByteSet,
  options: Options,
  isComplement: boolean,
): Uint8Array {
  const { bytes: from } = source;
  const cases = target.classes.filter(({ name }) => name === "upper" || name === "lower");
  if (cases.length < target.classes.length)
    throw new Error(
      "when translating, the only character classes that may appear in string2 are 'upper' and 'lower'",
    );
  const isPaired = cases.every(({ at }) =>
    source.classes.some((own) => own.at === at && (own.name === "upper" || own.name === "lower")),
  );
  if (!isPaired || (isComplement && cases.length > 0))
    throw new Error("misaligned [:upper:] and/or [:lower:] construct");
  const to = [...target.bytes];
  const missing = from.length - to.length;
  if (target.fill && missing > 0)
    to.splice(target.fill.at, 0, ...Array.from({ length: missing }, () => target.fill?.byte ?? 0));
  const last = to.at(-1);
  if (last === undefined) throw new Error("when not truncating set1, string2 must be non-empty");
  const table = Uint8Array.from({ length: 256 }, (_byte, at) => at);
  from.forEach((byte, at) => {
    if (at < to.length) table[byte] = to[at] ?? 0;
    else if (!options.has("t")) table[byte] = last;
  });
  return table;
}
