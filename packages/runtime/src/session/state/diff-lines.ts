import { structuredPatch } from "diff";
import type { FileChange } from "../../tools/tool.ts";

/** One line of the diff of a tool's change to a file. */
export interface DiffLine {
  type: "add" | "remove" | "context";
  /** Text without the line break and the sign. */
  text: string;
  /** Line number from 1: in the new file, or in the old one for a removed line. */
  lineNumber: number;
}

/** Unchanged lines around each change. */
const CONTEXT_LINES = 3;
/** Above this many different lines, finding the shortest diff takes longer than a person waits. */
const MAX_DIFFERENCES = 1000;

/** The lines of a change with three lines of context; texts that differ too much are replaced as a whole. */
export function diffLines({ before, after }: Pick<FileChange, "before" | "after">): DiffLine[] {
  const [old, current] = [unix(before), unix(after)];
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_DIFFERENCES };
  const patch = structuredPatch("", "", old, current, "", "", options);
  if (!patch) return [...linesOf(old, "remove"), ...linesOf(current, "add")];
  return patch.hunks.flatMap(({ oldStart, newStart, lines }) => {
    let [oldLine, newLine] = [oldStart, newStart];
    return lines.flatMap((line): DiffLine[] => {
      const text = line.slice(1);
      if (line.startsWith("+")) return [{ type: "add", text, lineNumber: newLine++ }];
      if (line.startsWith("-")) return [{ type: "remove", text, lineNumber: oldLine++ }];
      // The remark about a missing line break at the end is not a line.
      if (!line.startsWith(" ")) return [];
      oldLine += 1;
      return [{ type: "context", text, lineNumber: newLine++ }];
    });
  });
}

function unix(text: string | null): string {
  return text?.replaceAll("\r\n", "\n") ?? "";
}

function linesOf(text: string, type: DiffLine["type"]): DiffLine[] {
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line, index) => ({ type, text: line, lineNumber: index + 1 }));
}
