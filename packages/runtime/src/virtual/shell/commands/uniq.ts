import type { ShellCommand } from "../command.ts";
import { parseArguments } from "./arguments.ts";
import { joinLines, readByteString, splitLines } from "./byte-lines.ts";

export const uniq: ShellCommand = {
  name: "uniq",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "cdDiuz",
      valued: "fsw",
      long: {
        count: "c",
        repeated: "d",
        "all-repeated": "D",
        "ignore-case": "i",
        unique: "u",
        "skip-fields": "f",
        "skip-chars": "s",
        "check-chars": "w",
        "zero-terminated": "z",
      },
    });
    const end = options.has("z") ? "\0" : "\n";
    const skippedFields = Number(options.get("f") ?? 0);
    const skipped = Number(options.get("s") ?? 0);
    const checked = Number(options.get("w") ?? Number.POSITIVE_INFINITY);
    const key = (line: string): string => {
      let text = line;
      for (let field = 0; field < skippedFields; field++) text = text.replace(/^[ \t]*[^ \t]*/, "");
      text = text.slice(skipped, skipped + checked);
      return options.has("i") ? text.toLowerCase() : text;
    };
    const groups: { key: string; lines: string[] }[] = [];
    for (const line of splitLines(await readByteString(context, operands[0] ?? "-"), end)) {
      const turn = context.pace(0.25);
      if (turn) await turn;
      const last = groups.at(-1);
      const text = key(line);
      if (last?.key === text) last.lines.push(line);
      else groups.push({ key: text, lines: [line] });
    }
    const kept = groups.filter(({ lines }) => {
      if (options.has("d") || options.has("D")) return lines.length > 1;
      return !options.has("u") || lines.length === 1;
    });
    const output = kept.flatMap(({ lines }) => {
      if (options.has("D")) return lines;
      const count = options.has("c") ? `${String(lines.length).padStart(7)} ` : "";
      return [`${count}${lines[0]}`];
    });
    const target = operands[1];
    if (target === undefined) return { stdout: joinLines(output, end) };
    await context.fs.writeFile(context.resolve(target), joinLines(output, end));
    return {};
  },
};
