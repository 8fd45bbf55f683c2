import { compareText } from "./index-file.ts";
import type { Blob, TreeFiles } from "./repository.ts";

/** The change of one path between two trees. */
export interface TreeChange {
  status: "A" | "D" | "M" | "T" | "R";
  /** The new path, or the old one of a deleted file. */
  path: string;
  /** The old path of a renamed file. */
  from?: string;
  /** Similarity of a renamed file, in per cent. */
  similarity?: number;
  old?: Blob;
  new?: Blob;
}

export type ReadBlob = (side: "old" | "new", path: string, blob: Blob) => Promise<Uint8Array>;

export interface TreeDiffOptions {
  filter?: (path: string) => boolean;
  /** Pairs deleted files with similar new ones; `false` disables renames. */
  renames?: false | { read: ReadBlob; atLeast?: number };
}

const LIMIT = 1000;
const kind = (mode: number): number => mode & 0o170000;

/** The differences between two trees, by path. */
export async function diffTrees(
  before: TreeFiles,
  after: TreeFiles,
  { filter = () => true, renames = false }: TreeDiffOptions = {},
): Promise<TreeChange[]> {
  const changes: TreeChange[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    if (!filter(path)) continue;
    const [old, now] = [before.get(path), after.get(path)];
    if (old && now) {
      if (old.oid === now.oid && old.mode === now.mode) continue;
      const status = kind(old.mode) === kind(now.mode) ? "M" : "T";
      changes.push({ status, path, old, new: now });
    } else if (old) changes.push({ status: "D", path, old });
    else if (now) changes.push({ status: "A", path, new: now });
  }
  const paired = renames ? await pairRenames(changes, renames) : changes;
  return paired.sort((one, other) => compareText(one.path, other.path));
}

async function pairRenames(
  changes: readonly TreeChange[],
  { read, atLeast = 50 }: { read: ReadBlob; atLeast?: number },
): Promise<TreeChange[]> {
  const gone = new Set(
    changes.filter(({ status, old }) => status === "D" && old && old.mode !== 0o160000),
  );
  const made = new Set(changes.filter(({ status }) => status === "A"));
  const rest = changes.filter((change) => !gone.has(change) && !made.has(change));
  const renamed: TreeChange[] = [];
  const pair = (from: TreeChange, to: TreeChange, similarity: number): void => {
    if (!from.old || !to.new) return;
    gone.delete(from);
    made.delete(to);
    renamed.push({
      status: "R",
      path: to.path,
      from: from.path,
      similarity,
      old: from.old,
      new: to.new,
    });
  };
  const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
  for (const to of made) {
    const same = [...gone].filter(({ old }) => old?.oid === to.new?.oid);
    const best = same.find(({ path }) => baseName(path) === baseName(to.path)) ?? same[0];
    if (best) pair(best, to, 100);
  }
  if (gone.size > 0 && made.size > 0 && gone.size * made.size <= LIMIT) {
    const [olds, news] = await Promise.all([
      contents("old", gone, read),
      contents("new", made, read),
    ]);
    const candidates = olds.flatMap((from) =>
      news.map((to) => ({ from, to, score: similarity(from.chunks, to.chunks) })),
    );
    for (const { from, to, score } of candidates
      .filter(({ score: found }) => found >= atLeast)
      .sort((one, other) => other.score - one.score)) {
      if (gone.has(from.change) && made.has(to.change)) pair(from.change, to.change, score);
    }
  }
  return [...rest, ...gone, ...made, ...renamed];
}

interface Chunks {
  size: number;
  /** Byte counts by chunk. */
  counts: Map<string, number>;
}

async function contents(
  side: "old" | "new",
  changes: ReadonlySet<TreeChange>,
  read: ReadBlob,
): Promise<{ change: TreeChange; chunks: Chunks }[]> {
  const found: { change: TreeChange; chunks: Chunks }[] = [];
  for (const change of changes) {
    const blob = side === "old" ? change.old : change.new;
    if (!blob || kind(blob.mode) !== 0o100000) continue;
    found.push({ change, chunks: chunksOf(await read(side, change.path, blob)) });
  }
  return found;
}

/** Splits content into lines, and long lines into pieces of 64 bytes: git's measure of similarity. */
function chunksOf(bytes: Uint8Array): Chunks {
  const counts = new Map<string, number>();
  let [start, at] = [0, 0];
  const cut = (): void => {
    const text = String.fromCharCode(...bytes.subarray(start, at));
    counts.set(text, (counts.get(text) ?? 0) + at - start);
    start = at;
  };
  while (at < bytes.length) {
    at += 1;
    if (bytes[at - 1] === 10 || at - start === 64) cut();
  }
  if (at > start) cut();
  return { size: bytes.length, counts };
}

function similarity(one: Chunks, other: Chunks): number {
  const largest = Math.max(one.size, other.size);
  if (largest === 0 || one.size === 0 || other.size === 0) return 0;
  let copied = 0;
  for (const [text, count] of one.counts) copied += Math.min(count, other.counts.get(text) ?? 0);
  return Math.floor((Math.floor((copied * 60_000) / largest) * 100) / 60_000);
}
