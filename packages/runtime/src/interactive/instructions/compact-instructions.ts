import type { InstructionFile } from "./read-instructions.ts";

/**
 * Instructions of a `CLAUDE.md` for summaries: its section "Compact Instructions", up to the next heading of the same or a
 * higher level. The nearest file with one counts.
 */
export function compactInstructions(files: readonly InstructionFile[]): string | undefined {
  return files
    .filter(({ kind, problem }) => kind === "CLAUDE.md" && problem === undefined)
    .map(({ text }) => compactSection(text))
    .findLast((section) => section !== "");
}

function compactSection(text: string): string {
  const lines = text.split(/\r?\n/);
  let level = 0;
  let fence = "";
  const section: string[] = [];
  for (const line of lines) {
    const [, mark = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence)) fence = "";
    // A `#` in a code block is not a heading.
    const heading =
      fence === "" && mark === "" ? /^ {0,3}(#{1,6})\s+(.*?)[\s#]*$/.exec(line) : null;
    const [, hashes = "", title = ""] = heading ?? [];
    if (level > 0 && heading && hashes.length <= level) break;
    if (level > 0) section.push(line);
    else if (/^compact instructions$/i.test(title)) level = hashes.length;
  }
  return section.join("\n").trim();
}
