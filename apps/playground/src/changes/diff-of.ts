import type { ChangedContent } from "@robota/runtime/sessions";
import type { FileChange } from "@robota/runtime/tools";
import { diffRows } from "../diff/diff-rows.ts";
import { formatBytes } from "../ui/format.ts";

/** A changed file as it is shown: its lines, or a sentence for what has none. */
export type FileDiff =
  | { kind: "text"; change: FileChange; added: number; removed: number }
  | { kind: "note"; note: string };

const SNIFF = 8000;
/** Bytes of a version that is compared line by line. */
const LIMIT = 2_000_000;

export function diffOf({ path, before, after }: ChangedContent): FileDiff {
  if (before === undefined) return { kind: "note", note: "The earlier version was not kept." };
  if (after === undefined) return { kind: "note", note: "It is no file any more." };
  if (isBinary(before) || isBinary(after)) {
    const was = before ? `${formatBytes(before.length)} before` : "new";
    const is = after ? `${formatBytes(after.length)} now` : "deleted now";
    return { kind: "note", note: `Not a text file: ${was}, ${is}.` };
  }
  const change = { path, before: textOf(before), after: textOf(after) };
  const isLarge = (before?.length ?? 0) + (after?.length ?? 0) > LIMIT;
  const rows = isLarge ? undefined : diffRows(change.before ?? "", change.after ?? "");
  if (!rows) return { kind: "note", note: "Too large to compare line by line." };
  return { kind: "text", change, added: rows.added, removed: rows.removed };
}

function isBinary(bytes: Uint8Array | null): boolean {
  return bytes?.subarray(0, SNIFF).includes(0) ?? false;
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes && new TextDecoder().decode(bytes);
}
