import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { joinLines } from "../byte-lines.ts";
import { byteLinesOf, createPrinter } from "../streams.ts";

/** A run of equal adjacent lines. */
interface Group {
  readonly key: string;
  /** The first line of the run. */
  readonly line: string;
  count: number;
}

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
        group: "group",
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
    const isOnce = !options.has("d") && !options.has("D") && !options.has("u") && !options.has("c");
    const spacing = options.has("group") ? options.get("group") || "separate" : undefined;
    if (spacing !== undefined) assertSpacing(spacing, isOnce);
    const [source = "-", target] = operands;
    const printer = createPrinter(target === undefined ? context : {});
    let output: string[] = [];
    const flush = async (): Promise<void> => {
      const lines = output;
      output = [];
      if (lines.length > 0) await printer.print(joinLines(lines, end));
      else context.assertReader?.();
    };
    let group: Group | undefined;
    const close = ({ line, count }: Group): void => {
      const isRepeated = count > 1;
      if (options.has(isRepeated ? "u" : "d")) return;
      output.push(options.has("c") ? `${String(count).padStart(7)} ${line}` : line);
    };
    for await (const lines of byteLinesOf(context, source, end)) {
      for (const line of lines) {
        const turn = context.pace(0.25);
        if (turn) await turn;
        const text = key(line);
        if (group?.key === text) {
          group.count += 1;
          if (spacing !== undefined) output.push(line);
          if (!options.has("D")) continue;
          if (group.count === 2) output.push(group.line);
          output.push(line);
          continue;
        }
        // Lines printed once need no lookahead.
        if (spacing !== undefined) {
          if (group || spacing === "prepend" || spacing === "both") output.push("");
          output.push(line);
        } else if (isOnce) output.push(line);
        else if (group && !options.has("D")) close(group);
        group = { key: text, line, count: 1 };
      }
      await flush();
    }
    if (group && !isOnce && !options.has("D")) close(group);
    if (group && (spacing === "append" || spacing === "both")) output.push("");
    await flush();
    if (target === undefined) return { stdout: printer.rest() };
    await context.fs.writeFile(context.resolve(target), printer.rest());
    return {};
  },
};

const SPACINGS = ["prepend", "append", "separate", "both"];

function assertSpacing(spacing: string, isOnce: boolean): void {
  if (!SPACINGS.includes(spacing)) throw new Error(`invalid argument '${spacing}' for '--group'`);
  if (!isOnce) throw new Error("--group is mutually exclusive with -c/-d/-D/-u");
}
