import type { ShellCommand } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";
import { splitLines } from "../byte-lines.ts";

const iecUnits = ["", "K", "M", "G", "T", "P", "E"];

function readUnit(text: string, from: string): number {
  const [, digits, unit = "", suffix] = /^([-+]?[\d.]+)([KMGTPE]?)(i?)B?$/i.exec(text) ?? [];
  if (digits === undefined) throw new Error(`invalid number: '${text}'`);
  const isIec = from === "iec" || from === "iec-i" || (from === "auto" && suffix === "i");
  if (unit !== "" && from === "none") {
    throw new Error(`rejecting suffix in input: '${text}' (consider using --from)`);
  }
  return Number(digits) * (isIec ? 1024 : 1000) ** iecUnits.indexOf(unit.toUpperCase());
}

function writeUnit(value: number, to: string): string {
  if (to === "none") return String(Number(value.toFixed(6)));
  const base = to === "si" ? 1000 : 1024;
  let [size, at] = [Math.abs(value), 0];
  while (size >= base && at < iecUnits.length - 1) [size, at] = [size / base, at + 1];
  // Rounded away from zero, to one decimal below ten.
  const rounded =
    at === 0
      ? size
      : size < 10
        ? Math.ceil(Number((size * 10).toFixed(6))) / 10
        : Math.ceil(Number(size.toFixed(6)));
  if (rounded >= base && at < iecUnits.length - 1)
    return writeUnit(Math.sign(value) * base ** (at + 1), to);
  const text = at > 0 && rounded < 10 ? rounded.toFixed(1) : String(Number(rounded.toFixed(6)));
  return `${value < 0 ? "-" : ""}${text}${iecUnits[at]}${to === "iec-i" && at > 0 ? "i" : ""}`;
}

/** `--from`, `--to`, `--field`, `-d`, `--suffix`, `--padding`, `--header`. */
export const numfmt: ShellCommand = {
  name: "numfmt",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "z",
      valued: "d",
      long: {
        from: "from",
        to: "to",
        field: "field",
        delimiter: "d",
        suffix: "suffix",
        padding: "padding",
        header: "header",
        grouping: "grouping",
        round: "round",
        format: "format",
        invalid: "invalid",
      },
    });
    const delimiter = options.get("d");
    const field = Number(options.get("field") ?? 1);
    const convert = (text: string, width: number): string => {
      const value = readUnit(text, options.get("from") ?? "none");
      const written = writeUnit(value, options.get("to") ?? "none") + (options.get("suffix") ?? "");
      return written.padStart(width);
    };
    const padding = Number(options.get("padding") ?? 0);
    const header = options.has("header") ? Number(options.get("header") || 1) : 0;
    const lines = operands.length > 0 ? operands : splitLines(await readTextOperand(context, "-"));
    const converted = (line: string, at: number): string => {
      if (at < header) return line;
      if (delimiter !== undefined) {
        const parts = line.split(delimiter);
        parts[field - 1] = convert(parts[field - 1] ?? "", padding);
        return parts.join(delimiter);
      }
      // Without a delimiter a field keeps its width, leading blanks included.
      let index = 0;
      return line.replace(/\s*\S+/g, (part) => {
        index += 1;
        if (index !== field) return part;
        const isFirst = part.trimStart() === part;
        const width = isFirst ? padding : Math.max(padding, part.length - 1);
        return (isFirst ? "" : " ") + convert(part.trim(), width);
      });
    };
    const output: string[] = [];
    for (const [at, line] of lines.entries()) {
      const turn = context.pace();
      if (turn) await turn;
      output.push(converted(line, at));
    }
    return { stdout: output.map((line) => `${line}\n`).join("") };
  },
};
