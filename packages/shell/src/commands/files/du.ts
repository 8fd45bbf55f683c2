import type { ShellCommand } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";

const BLOCK = 4096;

/** Sizes of trees: `-a`, `-b`, `-c`, `-d`, `-h`, `-k`, `-m`, `-s`, `--apparent-size`; `--exclude` is unsupported. */
export const du: ShellCommand = {
  name: "du",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "abchkmsSx",
      valued: "dB",
      long: {
        all: "a",
        bytes: "b",
        total: "c",
        "max-depth": "d",
        "human-readable": "h",
        summarize: "s",
        "apparent-size": "apparent",
      },
    });
    const depth = options.has("s") ? 0 : Number(options.get("d") ?? Number.POSITIVE_INFINITY);
    const isApparent = options.has("b") || options.has("apparent");
    const show = (size: number): string => {
      if (options.has("h")) return human(size);
      return String(
        options.has("b") ? size : Math.ceil(size / (options.has("m") ? 1024 ** 2 : 1024)),
      );
    };
    let [stdout, stderr, total] = ["", "", 0];
    const measure = async (name: string, path: string, level: number): Promise<number> => {
      const stat = await context.fs.lstat(path);
      let size = isApparent ? stat.size : Math.ceil(stat.size / BLOCK) * BLOCK;
      if (stat.type === "directory") {
        size = BLOCK;
        const names = (await context.fs.readdir(path)).map((entry) => entry.name);
        for (const child of names.sort()) {
          size += await measure(
            `${name.replace(/\/$/, "")}/${child}`,
            `${path}/${child}`,
            level + 1,
          );
        }
      }
      const isShown = stat.type === "directory" || options.has("a") || level === 0;
      if (isShown && level <= depth) stdout += `${show(size)}\t${name}\n`;
      return size;
    };
    for (const operand of operands.length > 0 ? operands : ["."]) {
      try {
        total += await measure(operand, context.resolve(operand), 0);
      } catch (error) {
        stderr += `du: cannot access '${operand}': ${explain(error)}\n`;
      }
    }
    if (options.has("c")) stdout += `${show(total)}\ttotal\n`;
    return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};

function human(size: number): string {
  let [value, unit] = [size, 0];
  while (value >= 1024 && unit < 4) [value, unit] = [value / 1024, unit + 1];
  if (unit === 0) return String(size);
  return `${value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : Math.ceil(value)}${"KMGT"[unit - 1]}`;
}
