import { decodeText } from "@robota/runtime/ports";
import * as engine from "#isomorphic-git";
import { type Blob, blobOf, flattenTree, type Repository, type TreeFiles } from "./repository.ts";
import { diffTrees } from "./tree-diff.ts";

export interface Conflict {
  path: string;
  kind: "content" | "add/add" | "modify/delete" | "binary" | "rename";
  /** The existing sides: base, ours and theirs. */
  stages: readonly [base: Blob | undefined, ours: Blob | undefined, theirs: Blob | undefined];
  /** The side that deleted the file, for the message. */
  deletedIn?: "ours" | "theirs";
}

export interface Merged {
  /** The merged files, with conflict markers where the sides disagree. */
  files: TreeFiles;
  conflicts: Conflict[];
  /** Paths whose text was merged from both sides. */
  auto: string[];
}

export interface Sides {
  ours: string;
  theirs: string;
}

const kind = (mode: number): number => mode & 0o170000;
const isSame = (one: Blob | undefined, other: Blob | undefined): boolean =>
  one?.oid === other?.oid && one?.mode === other?.mode;

/** Merges two trees with a common base. */
export async function mergeTrees(
  repo: Repository,
  trees: { base: string | undefined; ours: string; theirs: string | undefined },
  labels: Sides,
): Promise<Merged> {
  const base = await flattenTree(repo, trees.base);
  const ours = await flattenTree(repo, trees.ours);
  const theirs = await flattenTree(repo, trees.theirs);
  await followRenames(repo, base, ours, theirs);
  const merged: Merged = { files: new Map(), conflicts: [], auto: [] };
  for (const path of [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])].sort()) {
    const sides = [base.get(path), ours.get(path), theirs.get(path)] as const;
    const [old, mine, other] = sides;
    if (isSame(mine, other) || isSame(old, other)) {
      if (mine) merged.files.set(path, mine);
    } else if (isSame(old, mine)) {
      if (other) merged.files.set(path, other);
    } else await mergeFile(repo, merged, path, sides, labels);
  }
  return merged;
}

/** Applies renames of one side to the other side's changes. */
async function followRenames(
  repo: Repository,
  base: TreeFiles,
  ours: TreeFiles,
  theirs: TreeFiles,
): Promise<void> {
  const read = (_side: "old" | "new", _path: string, { oid }: Blob): Promise<Uint8Array> =>
    blobOf(repo, oid);
  for (const [mover, other] of [
    [ours, theirs],
    [theirs, ours],
  ] as const) {
    for (const { status, path, from } of await diffTrees(base, mover, { renames: { read } })) {
      if (status !== "R" || from === undefined) continue;
      const [old, changed] = [base.get(from), other.get(from)];
      if (!old || !changed || other.has(path)) continue;
      base.delete(from);
      base.set(path, old);
      other.delete(from);
      other.set(path, changed);
    }
  }
}

async function mergeFile(
  repo: Repository,
  merged: Merged,
  path: string,
  stages: Conflict["stages"],
  labels: Sides,
): Promise<void> {
  const [old, mine, other] = stages;
  if (!mine || !other) {
    const left = mine ?? other;
    if (left) merged.files.set(path, left);
    merged.conflicts.push({
      path,
      kind: "modify/delete",
      stages,
      deletedIn: mine ? "theirs" : "ours",
    });
    return;
  }
  const contents = await Promise.all(
    stages.map(async (blob) =>
      blob && kind(blob.mode) === 0o100000 ? blobOf(repo, blob.oid) : undefined,
    ),
  );
  const [before, left, right] = contents;
  const isText = left && right && !contents.some((bytes) => bytes?.includes(0));
  if (!isText || kind(mine.mode) !== kind(other.mode)) {
    merged.files.set(path, mine);
    merged.conflicts.push({ path, kind: "binary", stages });
    return;
  }
  const mode = old && mine.mode === old.mode ? other.mode : mine.mode;
  if (mine.oid === other.oid) {
    merged.files.set(path, { oid: mine.oid, mode });
    return;
  }
  merged.auto.push(path);
  const result = mergeTexts(
    before ? decodeText(before) : "",
    decodeText(left),
    decodeText(right),
    labels,
  );
  const blob = new TextEncoder().encode(result.text);
  merged.files.set(path, { oid: await engine.writeBlob({ ...repo.at, blob }), mode });
  if (result.hasConflict)
    merged.conflicts.push({ path, kind: old ? "content" : "add/add", stages });
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/**
 * Pairs of equal lines of two texts, which determine the cost of comparing them. Texts with more, such as ten thousand
 * copies of a line, conflict as a whole.
 */
const MAX_PAIRS = 20_000_000;

function pairsOf(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of one) counts.set(line, (counts.get(line) ?? 0) + 1);
  return other.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
}

/** Merges both sides' changes, with overlapping ones between markers. */
function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
  labels: Sides,
): { text: string; hasConflict: boolean } {
  let hasConflict = false;
  const [own, old, other] = [linesOf(ours), linesOf(base), linesOf(theirs)];
  const isComparable = pairsOf(old, own) <= MAX_PAIRS && pairsOf(old, other) <= MAX_PAIRS;
  const regions = isComparable
    ? engine.diff3Merge(own, old, other)
    : [{ conflict: { a: own, o: old, b: other } }];
  const parts = regions.map((region) => {
    if ("ok" in region) return region.ok.join("");
    const { start, a, b, end } = trimmed(region.conflict.a, region.conflict.b);
    if (a.length === 0 && b.length === 0) return [...start, ...end].join("");
    hasConflict = true;
    const side = (lines: readonly string[]): string => {
      const text = lines.join("");
      return text === "" || text.endsWith("\n") ? text : `${text}\n`;
    };
    return (
      start.join("") +
      `<<<<<<< ${labels.ours}\n${side(a)}=======\n${side(b)}>>>>>>> ${labels.theirs}\n` +
      end.join("")
    );
  });
  return { text: parts.join(""), hasConflict };
}

/** Excludes the common prefix and suffix from a conflict. */
function trimmed(one: readonly string[], other: readonly string[]) {
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (
    end < one.length - start &&
    end < other.length - start &&
    one.at(-1 - end) === other.at(-1 - end)
  )
    end += 1;
  return {
    start: one.slice(0, start),
    a: one.slice(start, one.length - end),
    b: other.slice(start, other.length - end),
    end: one.slice(one.length - end),
  };
}
