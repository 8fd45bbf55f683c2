import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { encodeText } from "@robota/runtime/ports";
import { fromByteString, toByteString } from "../../bytes.ts";
import { parseArguments } from "../arguments.ts";
import { readByteString, splitLines } from "../byte-lines.ts";
import { createPrinter } from "../streams.ts";
import { type Combine, combiner, type Row } from "./join-output.ts";
import { checksOf, createOrderWatch, type OrderWatch } from "./order.ts";

type Options = ReadonlyMap<string, string>;
type Given = readonly (readonly [name: string, value: string])[];

/** Joins the lines of two sorted files with equal fields: `-1 -2 -j -t -a -v -o -e -i -z`, `--header`. */
export const join: ShellCommand = {
  name: "join",
  async run(args, context) {
    const { options, given, operands } = parseArguments(args, {
      flags: "iz",
      valued: "12jtavoe",
      long: {
        "check-order": "check-order",
        header: "header",
        "ignore-case": "i",
        "nocheck-order": "nocheck-order",
        "zero-terminated": "z",
      },
    });
    const [first, second, extra] = operands;
    if (first === undefined) throw new Error("missing operand");
    if (second === undefined) throw new Error(`missing operand after '${first}'`);
    if (extra !== undefined) throw new Error(`extra operand '${extra}'`);
    const end = options.has("z") ? "\0" : "\n";
    const split = splitter(options);
    const read = async (name: string, field: number): Promise<Row[]> =>
      splitLines(await readByteString(context, name), end).map((line) => {
        const fields = split(line);
        const key = fields[field - 1] ?? "";
        return { fields, key, order: options.has("i") ? key.toLowerCase() : key, line };
      });
    const keys = [fieldOf(options, "1"), fieldOf(options, "2")] as const;
    const sides = [await read(first, keys[0]), await read(second, keys[1])] as const;
    const watch = createOrderWatch(checksOf(options));
    const shown = shownOf(given);
    const combine = combiner({
      given,
      glue: glueOf(options),
      filler: byteString(options.get("e") ?? ""),
      keys,
      first: [sides[0][0], sides[1][0]],
    });
    const merge: Merge = { sides, watch, shown, combine, output: [], stderr: "" };
    if (options.has("header")) {
      const [one, other] = [sides[0].shift(), sides[1].shift()];
      if (one || other) merge.output.push(combine(one, other));
    }
    await mergeRows(context, merge);
    const printer = createPrinter(context);
    await printer.print(fromByteString(merge.output.map((line) => line + end).join("")));
    let { stderr } = merge;
    if (watch.hasComplained) stderr += "join: input is not in sorted order\n";
    return { stdout: printer.rest(), stderr, exitCode: watch.hasComplained ? 1 : 0 };
  },
};

interface Merge {
  readonly sides: readonly [Row[], Row[]];
  readonly watch: OrderWatch;
  readonly shown: { readonly unpaired: readonly [boolean, boolean]; readonly paired: boolean };
  readonly combine: Combine;
  readonly output: string[];
  stderr: string;
}

async function mergeRows({ pace }: ShellCommandContext, merge: Merge): Promise<void> {
  const { sides, watch, shown, combine, output } = merge;
  const [left, right] = sides;
  let [one, other, hasUnpaired] = [0, 0, false];
  const note = (input: 0 | 1, at: number): void => {
    const [row, next] = [sides[input][at], sides[input][at + 1]];
    const complaint = watch.note(input, !row || !next || row.order <= next.order, hasUnpaired);
    if (complaint !== undefined) {
      const place = complaint.replace(/^file \d/, `${at + 2}`);
      merge.stderr += `join: ${place}: ${next?.line ?? ""}\n`;
    }
  };
  const alone = (input: 0 | 1, at: number): void => {
    hasUnpaired = true;
    note(input, at);
    const row = sides[input][at];
    if (shown.unpaired[input]) output.push(input === 0 ? combine(row) : combine(undefined, row));
  };
  while (one < left.length || other < right.length) {
    if (watch.endsAtOnce && watch.hasComplained) return;
    const turn = pace();
    if (turn) await turn;
    const [a, b] = [left[one], right[other]];
    if (!b || (a && a.order < b.order)) alone(0, one++);
    else if (!a || b.order < a.order) alone(1, other++);
    else {
      const [endOfOne, endOfOther] = [runEnd(left, one), runEnd(right, other)];
      for (let at = one; at < endOfOne; at++) note(0, at);
      for (let at = other; at < endOfOther; at++) note(1, at);
      for (let row = one; row < endOfOne && shown.paired; row++) {
        for (let match = other; match < endOfOther; match++) {
          const pause = pace();
          if (pause) await pause;
          output.push(combine(left[row], right[match]));
        }
      }
      [one, other] = [endOfOne, endOfOther];
    }
  }
}

/** The end of the rows with the same key as that at `start`. */
function runEnd(rows: readonly Row[], start: number): number {
  let end = start + 1;
  while (end < rows.length && rows[end]?.order === rows[start]?.order) end += 1;
  return end;
}

function shownOf(given: Given): Merge["shown"] {
  const files = given.filter(([name]) => name === "a" || name === "v").map(([, value]) => value);
  const wrong = files.find((value) => value !== "1" && value !== "2");
  if (wrong !== undefined) throw new Error(`invalid file number: '${wrong}'`);
  return {
    unpaired: [files.includes("1"), files.includes("2")],
    paired: !given.some(([name]) => name === "v"),
  };
}

function fieldOf(options: Options, name: "1" | "2"): number {
  const text = options.get(name) ?? options.get("j") ?? "1";
  if (!/^0*[1-9]\d*$/.test(text)) throw new Error(`invalid field number: '${text}'`);
  return Number(text);
}

function separatorOf(options: Options): string | undefined {
  const written = options.get("t");
  if (written === undefined) return undefined;
  if (written === "\\0") return "\0";
  const separator = byteString(written);
  if (separator.length > 1) throw new Error(`multi-character tab '${written}'`);
  return separator;
}

function glueOf(options: Options): string {
  return separatorOf(options) || " ";
}

/** Splits lines at the separator, or at blanks; an empty separator takes a line as one field. */
function splitter(options: Options): (line: string) => string[] {
  const separator = separatorOf(options);
  if (separator === "") return (line) => [line];
  if (separator !== undefined) return (line) => line.split(separator);
  return (line) => line.split(/[ \t\n]+/).filter((field, at) => at > 0 || field !== "");
}

function byteString(text: string): string {
  return toByteString(encodeText(text));
}
