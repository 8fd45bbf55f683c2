import type { ChangedContent, ChangedVersion } from "@robota/runtime/sessions";
import type { FileChange } from "@robota/runtime/tools";
import { diffRows } from "../diff/diff-rows.ts";
import { formatBytes } from "../ui/format.ts";

/** A changed file as it is shown: its lines, or a sentence for what has none. */
export type FileDiff =
  | { kind: "text"; change: FileChange; added: number; removed: number }
  | { kind: "note"; note: string };

export function diffOf({ path, before, after }: ChangedContent): FileDiff {
  if (before === undefined) return { kind: "note", note: "The earlier version was not kept." };
  if (after === undefined) return { kind: "note", note: "It is no file any more." };
  if (isText(before) && isText(after)) {
    const rows = diffRows(before ?? "", after ?? "");
    const change = { path, before, after };
    if (rows) return { kind: "text", change, added: rows.added, removed: rows.removed };
  }
  const isBinary = [before, after].some(
    (version) => !isText(version) && version.reason === "binary",
  );
  const what = isBinary ? "Not a text file" : "Too large to compare line by line";
  const was = before === null ? "new" : `${formatBytes(sizeOf(before))} before`;
  const is = after === null ? "deleted now" : `${formatBytes(sizeOf(after))} now`;
  return { kind: "note", note: `${what}: ${was}, ${is}.` };
}

type Known = Exclude<ChangedVersion, undefined>;

function isText(version: Known): version is string | null {
  return version === null || typeof version === "string";
}

function sizeOf(version: Exclude<Known, null>): number {
  return typeof version === "string" ? new TextEncoder().encode(version).length : version.size;
}
