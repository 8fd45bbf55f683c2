import type { FileChange } from "../../tool.ts";
import { count } from "../../text-cut.ts";
import { counted, cutLine } from "../../text-limit.ts";

const CONTEXT_LINES = 3;
/** Maximum diff lines for the model of its own change; it knows what it wrote. */
const MAX_DIFF_LINES = 120;
const MAX_LINE_LENGTH = 500;
/** Above this many different lines, finding the shortest diff takes longer than anyone wants to wait. */
const MAX_DIFFERENCES = 1000;

export interface DescribedChange {
  /** Unified diff hunks, without file names; empty when only line endings or nothing changed. */
  diff: string;
  /** First changed line of the new text, from 1. */
  startLine?: number;
}

/** A change of a file as a short unified diff. */
export async function describeChange({
  before,
  after,
}: Pick<FileChange, "before" | "after">): Promise<DescribedChange> {
  const { structuredPatch } = await import("diff");
  const [old, current] = [unix(before), unix(after)];
  const patch = structuredPatch("", "", old, current, "", "", {
    context: CONTEXT_LINES,
    maxEditLength: MAX_DIFFERENCES,
  });
  if (!patch) {
    const [from, to] = [old, current].map((text) => text.split("\n").length);
    return { diff: `(${count(from!)} lines replaced by ${counted(to!, "line")})`, startLine: 1 };
  }
  const [first] = patch.hunks;
  if (!first) return { diff: "" };
  const changed = first.lines.findIndex((line) => !line.startsWith(" "));
  return {
    diff: shorten(
      patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
        `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
        ...lines.map((line) => cutLine(line, MAX_LINE_LENGTH)),
      ]),
    ),
    startLine: Math.max(1, first.newStart + changed),
  };
}

function unix(text: string | null): string {
  return text?.replaceAll("\r\n", "\n") ?? "";
}

function shorten(lines: readonly string[]): string {
  const more = lines.length - MAX_DIFF_LINES;
  if (more <= 0) return lines.join("\n");
  const shown = lines.slice(0, MAX_DIFF_LINES);
  return [...shown, `… ${counted(more, "more line")} of diff`].join("\n");
}
