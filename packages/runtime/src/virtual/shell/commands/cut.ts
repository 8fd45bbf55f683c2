import type { ShellCommand } from "../command.ts";
import { decodeText, encodeText, fromByteString, toByteString } from "../bytes.ts";
import { parseArguments } from "./arguments.ts";
import { forEachOperand, joinLines, readByteString, splitLines } from "./byte-lines.ts";

type Range = readonly [from: number, to: number];

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
    const isKept = (at: number): boolean =>
      ranges.some(([from, to]) => at >= from && at <= to) !== options.has("complement");
    const delimiter = options.get("d") ?? "\t";
    const separator = byteString(delimiter);
    const isByField = options.has("f");
    const glue = byteString(options.get("output-delimiter") ?? (isByField ? delimiter : ""));
    const end = options.has("z") ? "\0" : "\n";
    const output: string[] = [];
    const failed = await forEachOperand("cut", operands, async (operand) => {
      for (const line of splitLines(await readByteString(context, operand), end)) {
        const turn = context.pace();
        if (turn) await turn;
        if (isByField && !line.includes(separator)) {
          if (!options.has("s")) output.push(line);
          continue;
        }
        const units = isByField
          ? line.split(separator)
          : options.has("c")
            ? Array.from(decodeText(fromByteString(line)), byteString)
            : line.split("");
        output.push(units.filter((_unit, at) => isKept(at + 1)).join(glue));
      }
    });
    return { stdout: joinLines(output, end), ...failed };
  },
};

function byteString(text: string): string {
  return toByteString(encodeText(text));
}

function parseList(list: string): Range[] {
  return list.split(/[, ]/).map((part) => {
    const match = /^(\d*)(-?)(\d*)$/.exec(part);
    const [, from = "", dash = "", to = ""] = match ?? [];
    if (!match || (from === "" && to === "")) throw new Error(`invalid field value '${part}'`);
    const start = from === "" ? 1 : Number(from);
    if (start === 0) throw new Error("fields and positions are numbered from 1");
    const end = dash === "" ? start : to === "" ? Number.POSITIVE_INFINITY : Number(to);
    if (end < start) throw new Error("invalid decreasing range");
    return [start, end] as const;
  });
}
