import type { ShellCommand } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";

/** Fills columns with tabs without `-t`, as the program does; tables are the bundle's own. */
export const column: ShellCommand = {
  name: "column",
  async run(args, context) {
    if (args.some((arg) => /^-\w*[tJ]|^--table/.test(arg))) return context.original(args);
    const { options, operands } = parseArguments(args, {
      flags: "xe",
      valued: "cs",
      long: { columns: "c", "output-width": "c", fillrows: "x" },
    });
    const lines: string[] = [];
    for (const operand of operands.length > 0 ? operands : ["-"]) {
      lines.push(
        ...(await readTextOperand(context, operand))
          .split("\n")
          .filter((line) => line.trim() !== ""),
      );
    }
    const width = (Math.floor(Math.max(0, ...lines.map(({ length }) => length)) / 8) + 1) * 8;
    const count = Math.max(1, Math.floor(Number(options.get("c") ?? 80) / width));
    const rows = Math.ceil(lines.length / count);
    let stdout = "";
    for (let row = 0; row < rows; row++) {
      const cells = Array.from(
        { length: count },
        (_, at) => lines[options.has("x") ? row * count + at : row + at * rows],
      ).filter((cell) => cell !== undefined);
      cells.forEach((cell, at) => {
        stdout +=
          cell + (at < cells.length - 1 ? "\t".repeat(Math.ceil((width - cell.length) / 8)) : "");
      });
      stdout += "\n";
    }
    return { stdout };
  },
};
