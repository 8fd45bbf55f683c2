import { encodeText } from "@robota/runtime/ports";
import { decodeByteString, toByteString } from "../../bytes.ts";
import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { forEachOperand, joinLines } from "../byte-lines.ts";
import { compilePattern } from "../search/pattern.ts";
import { byteLinesOf, createPrinter } from "../streams.ts";

/** Delimiters of logical pages, and the option for the numbering style of the section after them. */
const sections: Readonly<Record<string, "h" | "b" | "f">> = {
  "\\:\\:\\:": "h",
  "\\:\\:": "b",
  "\\:": "f",
};

export const nl: ShellCommand = {
  name: "nl",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "p",
      valued: "bdfhilnsvw",
      long: {
        "body-numbering": "b",
        "footer-numbering": "f",
        "header-numbering": "h",
        "line-increment": "i",
        "join-blank-lines": "l",
        "number-format": "n",
        "no-renumber": "p",
        "number-separator": "s",
        "starting-line-number": "v",
        "number-width": "w",
      },
    });
    const count = (name: string, otherwise: number): number => {
      const text = options.get(name);
      if (text !== undefined && !/^-?\d{1,15}$/.test(text))
        throw new Error(`invalid number: '${text}'`);
      return text === undefined ? otherwise : Number(text);
    };
    const [first, step, width] = [count("v", 1), count("i", 1), count("w", 6)];
    if (width < 1 || width > 1000) throw new Error(`invalid line number field width: '${width}'`);
    const format = options.get("n") ?? "rn";
    if (!["ln", "rn", "rz"].includes(format))
      throw new Error(`invalid line numbering format: '${format}'`);
    const separator = toByteString(encodeText(options.get("s") ?? "\t"));
    const isNumbered = {
      h: await styleOf(options.get("h") ?? "n", "header"),
      b: await styleOf(options.get("b") ?? "t", "body"),
      f: await styleOf(options.get("f") ?? "n", "footer"),
    };
    const blank = " ".repeat(width + separator.length);
    let [number, section]: [number, "h" | "b" | "f"] = [first, "b"];
    const numbered = (line: string): string => {
      const begun = sections[line];
      if (begun) {
        section = begun;
        if (!options.has("p")) number = first;
        return "";
      }
      if (!isNumbered[section](line)) return blank + line;
      const digits = String(Math.abs(number));
      const sign = number < 0 ? "-" : "";
      const field =
        format === "rz"
          ? sign + digits.padStart(width - sign.length, "0")
          : format === "ln"
            ? (sign + digits).padEnd(width)
            : (sign + digits).padStart(width);
      number += step;
      return field + separator + line;
    };
    const printer = createPrinter(context);
    const failed = await forEachOperand("nl", operands, async (operand) => {
      for await (const lines of byteLinesOf(context, operand)) {
        const output: string[] = [];
        for (const line of lines) {
          const turn = context.pace(0.25);
          if (turn) await turn;
          output.push(numbered(line));
        }
        await printer.print(joinLines(output));
      }
    });
    return { stdout: printer.rest(), ...failed };
  },
};

/** Creates the test of a numbering style: all lines, non-empty ones, none, or those that match a basic expression. */
async function styleOf(style: string, part: string): Promise<(line: string) => boolean> {
  if (style === "a") return () => true;
  if (style === "t") return (line) => line !== "";
  if (style === "n") return () => false;
  if (!style.startsWith("p")) throw new Error(`invalid ${part} numbering style: '${style}'`);
  const pattern = await compilePattern([style.slice(1)], { dialect: "basic" });
  return (line) => pattern.find(decodeByteString(line), 0) !== undefined;
}
