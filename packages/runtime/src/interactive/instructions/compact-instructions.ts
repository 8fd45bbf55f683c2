import type { InstructionFile } from "./read-instructions.ts";

/** Hashes may close a heading, too. */
const COMPACT = /^ {0,3}#+\s+compact instructions[\s#]*$/i;

/**
 * Instructions of a `CLAUDE.md` for summaries: its section "Compact Instructions", up to the next heading of the same or a
 * higher level. The nearest file with one counts, itself before the files that it imports.
 */
export function compactInstructions(files: readonly InstructionFile[]): string | undefined {
  let found: string | undefined;
  let isFromThisFile = false;
  for (const { kind, text, importedBy } of files) {
    if (kind !== "CLAUDE.md") continue;
    if (importedBy === undefined) isFromThisFile = false;
    const section = isFromThisFile ? "" : compactSection(text);
    if (section === "") continue;
    found = section;
    isFromThisFile = true;
  }
  return found;
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
    const heading = fence === "" && mark === "" ? /^ {0,3}(#{1,6})\s/.exec(line) : null;
    const [, hashes = ""] = heading ?? [];
    if (level > 0 && heading && hashes.length <= level) break;
    if (level > 0) section.push(line);
    else if (heading && COMPACT.test(line)) level = hashes.length;
  }
  return section.join("\n").trim();
}
