import { decodeText, encodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { fromByteString, toByteString } from "../../bytes.ts";
import { countsBytes } from "../../locale.ts";
import { parseArguments } from "../arguments.ts";
import { forEachOperand, joinLines } from "../byte-lines.ts";
import { byteLinesOf, createPrinter } from "../streams.ts";

type Range = readonly [from: number, to: number];

/** Characters of a line per additional step. */
const CHARACTERS_PER_STEP = 64;

export const cut: ShellCommand = {
  name: "cut",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "snz",
      valued: "bcdf",
      long: {
        bytes: "b",
        characters: "c",
        delimiter: "d",
        fields: "f",
        "only-delimited": "s",
        "output-delimiter": "output-delimiter",
        complement: "complement",
        "zero-terminated": "z",
      },
    });
    const list = options.get("f") ?? options.get("c") ?? options.get("b");
    if (list === undefined) {
      throw new Error("you must specify a list of bytes, characters, or fields");
    }
    const ranges = parseList(list);
    const isComplement = options.has("complement");
    const delimiter = options.get("d") ?? "\t";
    if (Array.from(delimiter).length > 1)
      throw new Error("the delimiter must be a single character");
    const separator = byteString(delimiter || "\0");
    const isByByte = countsBytes((name) => context.env[name]);
    const isByField = options.has("f");
    const glue = byteString(options.get("output-delimiter") ?? (isByField ? delimiter : ""));
    const end = options.has("z") ? "\0" : "\n";
    const cutLine = (line: string): string | undefined => {
      if (isByField && !line.includes(separator)) return options.has("s") ? undefined : line;
      const units = isByField
        ? line.split(separator)
        : options.has("c") && !isByByte
          ? Array.from(decodeText(fromByteString(line)), byteString)
          : line.split("");
      return kept(units, ranges, isComplement).join(glue);
    };
    const printer = createPrinter(context);
    const failed = await forEachOperand("cut", operands, async (operand) => {
      for await (const lines of byteLinesOf(context, operand, end)) {
        const output: string[] = [];
        for (const line of lines) {
          const turn = context.pace(1 + line.length / CHARACTERS_PER_STEP);
          if (turn) await turn;
          const text = cutLine(line);
          if (text !== undefined) output.push(text);
        }
        await printer.print(joinLines(output, end));
      }
    });
    return { stdout: printer.rest(), ...failed };
  },
};

/** Selects the `units` within the ranges, or the others: one check each, however many ranges there are. */
function kept(
  units: readonly string[],
  ranges: readonly Range[],
  isComplement: boolean,
): readonly string[] {
  let next = 0;
  return units.filter((_unit, index) => {
    const at = index + 1;
    while (at > (ranges[next]?.[1] ?? Number.POSITIVE_INFINITY)) next += 1;
    return at >= (ranges[next]?.[0] ?? Number.POSITIVE_INFINITY) !== isComplement;
  });
}

function byteString(text: string): string {
  return toByteString(encodeText(text));
}

/** Parses ranges, sorted and merged. */
function parseList(list: string): Range[] {
  const ranges = list.split(/[, ]/).map((part) => {
    const match = /^(\d*)(-?)(\d*)$/.exec(part);
    const [, from = "", dash = "", to = ""] = match ?? [];
    if (!match || (from === "" && to === "")) throw new Error(`invalid field value '${part}'`);
    const start = from === "" ? 1 : Number(from);
    if (start === 0) throw new Error("fields and positions are numbered from 1");
    const end = dash === "" ? start : to === "" ? Number.POSITIVE_INFINITY : Number(to);
    if (end < start) throw new Error("invalid decreasing range");
    return [start, end] as const;
  });
  const merged: Range[] = [];
  for (const [from, to] of ranges.sort(([one], [other]) => one - other)) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) merged[merged.length - 1] = [last[0], Math.max(last[1], to)];
    else merged.push([from, to]);
  }
  return merged;
}
