import { decodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { countsBytes } from "../../locale.ts";
import { explain, parseArguments, readOperand } from "../arguments.ts";
import { forEachOperand } from "../byte-lines.ts";

const columns = ["l", "w", "m", "c", "L"] as const;
type Counts = Record<(typeof columns)[number], number>;

const NEWLINE = 10;
/** Column width of `wc` when it can't know the sizes beforehand. */
const UNKNOWN_WIDTH = 7;

export const wc: ShellCommand = {
  name: "wc",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "clmwL",
      long: { bytes: "c", lines: "l", chars: "m", words: "w", "max-line-length": "L" },
    });
    const asked = columns.filter((column) => options.has(column));
    const shown = asked.length > 0 ? asked : (["l", "w", "c"] as const);
    const rows: { counts: Counts; name: string }[] = [];
    const isByByte = countsBytes((name) => context.env[name]);
    let isKnown = operands.length > 0;
    let size = 0;
    const failed = await forEachOperand("wc", operands, async (operand) => {
      const path = context.resolve(operand);
      if (operand === "-") {
        isKnown = false;
      } else {
        const stat = await context.fs.stat(path).catch((error: unknown) => {
          throw new Error(`${operand}: ${explain(error)}`, { cause: error });
        });
        if (stat.type === "directory") {
          isKnown = false;
          rows.push({ counts: { l: 0, w: 0, m: 0, c: 0, L: 0 }, name: operand });
          throw new Error(`${operand}: Is a directory`);
        }
        // A device or a pipe has no known size.
        if (path.startsWith("/dev/")) isKnown = false;
        size += stat.size;
      }
      const name = operands.length === 0 ? "" : operand;
      const counts = count(await readOperand(context, operand), shown);
      if (isByByte) counts.m = counts.c;
      rows.push({ counts, name });
    });
    if (operands.length > 1)
      rows.push({ counts: sum(rows.map(({ counts }) => counts)), name: "total" });
    const isSingle = shown.length === 1 && rows.length === 1;
    const width = isSingle ? 1 : isKnown ? String(size).length : UNKNOWN_WIDTH;
    const stdout = rows
      .map(({ counts, name }) => {
        const numbers = shown.map((column) => String(counts[column]).padStart(width)).join(" ");
        return `${numbers}${name === "" ? "" : ` ${name}`}\n`;
      })
      .join("");
    return { stdout, ...failed };
  },
};

/** Counts only the requested numbers, usually one. */
function count(bytes: Uint8Array, shown: readonly string[]): Counts {
  const counts: Counts = { l: 0, w: 0, m: 0, c: bytes.length, L: 0 };
  if (shown.includes("l")) {
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
      counts.l += 1;
    }
  }
  if (shown.every((column) => column === "l" || column === "c")) return counts;
  const text = decodeText(bytes);
  if (shown.includes("w")) for (const _word of text.matchAll(/[^\s]+/g)) counts.w += 1;
  if (!shown.includes("m") && !shown.includes("L")) return counts;
  let length = 0;
  for (const character of text) {
    counts.m += 1;
    if (character === "\n" || character === "\r" || character === "\f") {
      counts.L = Math.max(counts.L, length);
      length = 0;
    } else if (character === "\t") length += 8 - (length % 8);
    else length += 1;
  }
  counts.L = Math.max(counts.L, length);
  return counts;
}

function sum(all: readonly Counts[]): Counts {
  const total: Counts = { l: 0, w: 0, m: 0, c: 0, L: 0 };
  for (const counts of all) {
    for (const column of columns) {
      total[column] = column === "L" ? Math.max(total.L, counts.L) : total[column] + counts[column];
    }
  }
  return total;
}
