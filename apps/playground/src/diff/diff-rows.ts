import { diffWordsWithSpace, structuredPatch } from "diff";

/** A piece of a line; `changed` pieces differ from the line they replace. */
export interface LinePart {
  text: string;
  changed: boolean;
}

export type DiffRow =
  | { kind: "context" | "added" | "removed"; before?: number; after?: number; parts: LinePart[] }
  /** Unchanged lines that are left out. */
  | { kind: "gap"; hidden: number };

export interface FileDiff {
  rows: DiffRow[];
  added: number;
  removed: number;
}

/** Longer lines are marked as a whole: nobody reads marks inside of them. */
const MARK_LIMIT = 400;
const TIMEOUT_MS = 300;

/** The changes from `before` to `after`, or `undefined` when comparing would take too long. */
export function diffRows(before: string, after: string): FileDiff | undefined {
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, timeout: TIMEOUT_MS });
  if (!patch) return undefined;
  const rows: DiffRow[] = [];
  let added = 0;
  let removed = 0;
  let shownBefore = 0;

  for (const hunk of patch.hunks) {
    const hidden = hunk.oldStart - 1 - shownBefore;
    if (hidden > 0) rows.push({ kind: "gap", hidden });
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const line of hunk.lines) {
      const parts = [{ text: line.slice(1), changed: false }];
      if (line.startsWith("+")) {
        rows.push({ kind: "added", after: newLine++, parts });
        added++;
      } else if (line.startsWith("-")) {
        rows.push({ kind: "removed", before: oldLine++, parts });
        removed++;
      } else if (line.startsWith(" ")) {
        rows.push({ kind: "context", before: oldLine++, after: newLine++, parts });
      }
    }
    shownBefore = oldLine - 1;
  }
  markWords(rows);
  return { rows, added, removed };
}

/** Marks the words that differ where as many lines were added as were removed. */
function markWords(rows: DiffRow[]): void {
  let at = 0;
  while (at < rows.length) {
    const removed = runOf(rows, at, "removed");
    const added = runOf(rows, at + removed, "added");
    if (removed > 0 && removed === added) {
      for (let index = at; index < at + removed; index++)
        markPair(rows[index], rows[index + removed]);
    }
    at += Math.max(1, removed + added);
  }
}

function runOf(rows: readonly DiffRow[], from: number, kind: DiffRow["kind"]): number {
  let length = 0;
  while (rows[from + length]?.kind === kind) length++;
  return length;
}

function markPair(removed: DiffRow | undefined, added: DiffRow | undefined): void {
  if (!removed || !added || removed.kind === "gap" || added.kind === "gap") return;
  const before = removed.parts[0]?.text ?? "";
  const after = added.parts[0]?.text ?? "";
  if (before.length > MARK_LIMIT || after.length > MARK_LIMIT) return;
  const words = diffWordsWithSpace(before, after);
  const same = words.filter((word) => !word.added && !word.removed).map((word) => word.value);
  // Lines that share almost nothing are easier to read without marks.
  if (same.join("").trim().length * 3 < Math.max(before.length, after.length)) return;
  removed.parts = words
    .filter((word) => !word.added)
    .map((word) => ({ text: word.value, changed: word.removed }));
  added.parts = words
    .filter((word) => !word.removed)
    .map((word) => ({ text: word.value, changed: word.added }));
}
