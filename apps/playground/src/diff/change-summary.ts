import type { FileChange } from "@robota/runtime/tools";
import { diffRows } from "./diff-rows.ts";

/** Lines added and removed by a change, or `undefined` when comparing would take too long. */
export function countLines({
  before,
  after,
}: FileChange): { added: number; removed: number } | undefined {
  const diff = diffRows(before ?? "", after ?? "");
  return diff && { added: diff.added, removed: diff.removed };
}

/** `2 files deleted, 1 changed`: deletions first, since they matter most. */
export function changeWords(changes: readonly FileChange[]): string {
  const deleted = changes.filter(({ after }) => after === null).length;
  const created = changes.filter(({ before }) => before === null).length;
  const kinds = [
    { count: deleted, word: "deleted" },
    { count: created, word: "created" },
    { count: changes.length - deleted - created, word: "changed" },
  ].filter(({ count }) => count > 0);
  return kinds
    .map(({ count, word }, index) => `${index === 0 ? files(count) : count} ${word}`)
    .join(", ");
}

function files(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}
