import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { decodeByteString } from "../../bytes.ts";
import { parseArguments } from "../arguments.ts";
import { forEachOperand } from "../byte-lines.ts";
import { byteLinesOf } from "../streams.ts";
import { fillColumns } from "./column-fill.ts";
import { tableOf } from "./column-table.ts";

/** Fills columns, or with `-t` aligns those of a table: `-s -o -N -R -H -O -l -L -d -J -n`; `-c` and `-x` without. */
export const column: ShellCommand = {
  name: "column",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "deJLtx",
      valued: "cHlnNoORs",
      long: {
        fillrows: "x",
        json: "J",
        "keep-empty-lines": "L",
        "output-separator": "o",
        "output-width": "c",
        separator: "s",
        table: "t",
        "table-columns": "N",
        "table-columns-limit": "l",
        "table-hide": "H",
        "table-name": "n",
        "table-noheadings": "d",
        "table-order": "O",
        "table-right": "R",
        columns: "c",
      },
    });
    const lines: string[] = [];
    const failed = await forEachOperand("column", operands, async (operand) => {
      for await (const part of byteLinesOf(context, operand))
        for (const line of part) lines.push(decodeByteString(line));
    });
    const kept = options.has("L") ? lines : lines.filter((line) => line.trim() !== "");
    const stdout =
      options.has("t") || options.has("J")
        ? await tableOf(kept, options, context.pace)
        : fillColumns(kept, widthOf(options, context), options.has("x"));
    return { stdout, ...failed };
  },
};

function widthOf(options: ReadonlyMap<string, string>, { env }: ShellCommandContext): number {
  const width = options.get("c") ?? env["COLUMNS"] ?? "80";
  if (width === "unlimited") return Number.POSITIVE_INFINITY;
  if (!/^\d+$/.test(width)) throw new Error(`invalid columns argument: '${width}'`);
  return Number(width);
}
