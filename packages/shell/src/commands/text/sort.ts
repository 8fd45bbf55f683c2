import { errorMessage } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { parseArguments, type Arguments } from "../arguments.ts";
import { joinLines, readByteString, splitLines } from "../byte-lines.ts";
import { compareNatural } from "./natural-order.ts";
import { plainOrder, sortInTurns } from "./sort-in-turns.ts";

interface Key {
  start: number;
  startCharacter: number;
  end: number;
  endCharacter: number;
  flags: string;
}

type Compare = (one: string, other: string) => number;

/** Sorts by bytes, as in the C locale. */
export const sort: ShellCommand = {
  name: "sort",
  async run(args, context) {
    try {
      const parsed = parseArguments(args, {
        flags: "bdfghiMnRrVcCmsuz",
        valued: "ktoTS",
        long: {
          reverse: "r",
          unique: "u",
          "numeric-sort": "n",
          "general-numeric-sort": "g",
          "human-numeric-sort": "h",
          "version-sort": "V",
          "month-sort": "M",
          "random-sort": "R",
          "ignore-case": "f",
          "ignore-leading-blanks": "b",
          "dictionary-order": "d",
          key: "k",
          "field-separator": "t",
          output: "o",
          check: "c",
          merge: "m",
          stable: "s",
          "zero-terminated": "z",
          parallel: "parallel",
          "buffer-size": "S",
        },
      });
      const { options, operands } = parsed;
      const end = options.has("z") ? "\0" : "\n";
      const lines: string[] = [];
      for (const operand of operands.length > 0 ? operands : ["-"]) {
        // One by one: spreading a large file would overflow the stack.
        for (const line of splitLines(await readByteString(context, operand), end)) {
          lines.push(line);
        }
      }
      const compareKeys = createComparison(parsed);
      const isUnique = options.has("u");
      const last: Compare = (one, other) => {
        const order = one < other ? -1 : one > other ? 1 : 0;
        return options.has("r") ? -order : order;
      };
      const compare: Compare =
        isUnique || options.has("s")
          ? compareKeys
          : (one, other) => compareKeys(one, other) || last(one, other);
      if (options.has("c") || options.has("C")) {
        const at = lines.findIndex((line, index) => {
          const order = index === 0 ? -1 : compare(lines[index - 1] ?? "", line);
          return order > 0 || (isUnique && order === 0);
        });
        if (at === -1) return {};
        const disorder = `sort: ${operands[0] ?? "-"}:${at + 1}: disorder: ${lines[at]}\n`;
        return { stderr: options.has("C") ? "" : disorder, exitCode: 1 };
      }
      const isPlain = parsed.given.every(([name]) => "osTSu".includes(name) || name.length > 1);
      const sorted = await sortInTurns(lines, isPlain ? plainOrder : compare, context.pace);
      const kept = isUnique
        ? sorted.filter((line, at) => at === 0 || compareKeys(sorted[at - 1] ?? "", line) !== 0)
        : sorted;
      const output = options.get("o");
      if (output === undefined) return { stdout: joinLines(kept, end) };
      await context.fs.writeFile(context.resolve(output), joinLines(kept, end));
      return {};
    } catch (error) {
      return { stderr: `sort: ${errorMessage(error)}\n`, exitCode: 2 };
    }
  },
};

function createComparison({ given, options }: Arguments): Compare {
  const global = given
    .map(([name]) => name)
    .filter((name) => "bdfghiMnRrV".includes(name))
    .join("");
  const written = given.filter(([name]) => name === "k").map(([, value]) => parseKey(value));
  const separator = separatorOf(options.get("t"));
  if (written.length === 0) return comparisonOf(global);
  const keys = written.map((key) => {
    const flags = key.flags === "" ? global : key.flags;
    return { key: { ...key, flags }, compare: comparisonOf(flags) };
  });
  return (one, other) => {
    for (const { key, compare } of keys) {
      const order = compare(extract(one, key, separator), extract(other, key, separator));
      if (order !== 0) return order;
    }
    return 0;
  };
}

function separatorOf(text: string | undefined): string | undefined {
  if (text === "\\0") return "\0";
  if (text !== undefined && text.length !== 1) throw new Error(`multi-character tab '${text}'`);
  return text;
}

function parseKey(text: string): Key {
  const match = /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/.exec(text);
  if (!match) throw new Error(`invalid key '${text}'`);
  const [, start, startCharacter = "1", flags = "", end, endCharacter = "0", endFlags = ""] = match;
  return {
    start: Number(start) - 1,
    startCharacter: Number(startCharacter) - 1,
    end: end === undefined ? Number.POSITIVE_INFINITY : Number(end) - 1,
    endCharacter: Number(endCharacter),
    flags: flags + endFlags,
  };
}

/** Start and end of each field. Without a separator a field includes its leading blanks. */
function fieldsOf(line: string, separator: string | undefined): [start: number, end: number][] {
  const fields: [number, number][] = [];
  if (separator === undefined) {
    for (const { index, 0: field } of line.matchAll(/[ \t]*[^ \t]+|[ \t]+$/g)) {
      fields.push([index, index + field.length]);
    }
    return fields;
  }
  let start = 0;
  for (const field of line.split(separator)) {
    fields.push([start, start + field.length]);
    start += field.length + 1;
  }
  return fields;
}

function extract(line: string, key: Key, separator: string | undefined): string {
  const fields = fieldsOf(line, separator);
  const first = fields[key.start];
  if (!first) return "";
  const skip = (at: number): number =>
    key.flags.includes("b") ? at + (/^[ \t]*/.exec(line.slice(at))?.[0].length ?? 0) : at;
  const start = skip(first[0]) + key.startCharacter;
  const last = fields[key.end];
  if (!last) return line.slice(start);
  const end = key.endCharacter === 0 ? last[1] : skip(last[0]) + key.endCharacter;
  return line.slice(start, Math.max(start, end));
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const units = "KMGTPEZY";

const DECIMAL = /^\s*(-?)0*(\d*)(?:\.(\d*))?/;
/** Digits that a number holds exactly. */
const EXACT_DIGITS = 15;

/** Compares decimal numbers of any length. */
function compareDecimals(one: string, other: string): number {
  const left = DECIMAL.exec(one);
  const right = DECIMAL.exec(other);
  const isExact = [left, right].every((match) => (match?.[0].length ?? 0) <= EXACT_DIGITS);
  const difference = (Number(left?.[0]) || 0) - (Number(right?.[0]) || 0);
  if (
    isExact ||
    (Number.isFinite(difference) && Math.sign(Number(left?.[0])) !== Math.sign(Number(right?.[0])))
  )
    return difference;
  const [whole, otherWhole] = [left?.[2] ?? "", right?.[2] ?? ""];
  const [part, otherPart] = [left?.[3] ?? "", right?.[3] ?? ""];
  const length = Math.max(part.length, otherPart.length);
  const digits = whole + part.padEnd(length, "0");
  const otherDigits = otherWhole + otherPart.padEnd(length, "0");
  const order =
    digits.length - otherDigits.length ||
    (digits < otherDigits ? -1 : digits > otherDigits ? 1 : 0);
  return left?.[1] === "-" ? -order : order;
}

function comparisonOf(flags: string): Compare {
  const has = (flag: string): boolean => flags.includes(flag);
  const byNumber =
    (value: (text: string) => number): Compare =>
    (one, other) => {
      const [left, right] = [value(one), value(other)];
      return left < right ? -1 : left > right ? 1 : 0;
    };
  const seeds = new Map<string, number>();
  const seed = (text: string): number => {
    const known = seeds.get(text) ?? Math.random();
    seeds.set(text, known);
    return known;
  };
  const text = (line: string): string => {
    let key = has("b") ? line.replace(/^[ \t]+/, "") : line;
    if (has("i")) key = key.replace(/[^ -~]/g, "");
    if (has("d")) key = key.replace(/[^A-Za-z0-9 \t]/g, "");
    return has("f") ? key.toUpperCase() : key;
  };
  const plain: Compare = (one, other) => {
    const [left, right] = [text(one), text(other)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
  const compare = has("n")
    ? compareDecimals
    : has("g")
      ? byNumber(
          (line) =>
            Number.parseFloat(line) ||
            Number.NEGATIVE_INFINITY * Number(!/^\s*[-+]?[.\d]/.test(line)) ||
            0,
        )
      : has("h")
        ? byNumber(human)
        : has("M")
          ? byNumber((line) => months.indexOf(line.trim().slice(0, 3).toUpperCase()))
          : has("V")
            ? compareNatural
            : has("R")
              ? byNumber(seed)
              : plain;
  return has("r") ? (one, other) => compare(other, one) : compare;
}

/** The key of `sort -h`, by unit first: 2K comes before 1M, and so does 2000K. */
function human(line: string): number {
  const [, digits = "0", unit = ""] = /^\s*(-?\d*\.?\d*)([KkMGTPEZY]?)/.exec(line) ?? [];
  const value = Number(digits) || 0;
  return value * 1024 ** (unit === "" ? 0 : units.indexOf(unit.toUpperCase()) + 1);
}
