import { diffArrays } from "diff";
import type { ShellCommandContext } from "../../command.ts";
import type { Change } from "./diff-format.ts";

/** Maximum differing lines for finding the smallest difference: its cost grows with the square. */
const MAX_EDITS = 500;

/**
 * The changes from `one` to `other`, in order. Minimal when the texts have much in common; others are split at lines
 * that occur exactly once in both, so that any two texts are compared in reasonable time.
 */
export async function changesBetween(
  one: readonly string[],
  other: readonly string[],
  pace: ShellCommandContext["pace"] = () => undefined,
): Promise<Change[]> {
  const changes: Change[] = [];
  const add = (from: number, to: number, otherFrom: number, otherTo: number): void => {
    if (from === to && otherFrom === otherTo) return;
    const last = changes.at(-1);
    if (last?.to === from && last.otherTo === otherFrom) {
      last.to = to;
      last.otherTo = otherTo;
    } else changes.push({ from, to, otherFrom, otherTo });
  };

  const compare = async (
    start: number,
    stop: number,
    otherStart: number,
    otherStop: number,
  ): Promise<void> => {
    let [from, to, otherFrom, otherTo] = [start, stop, otherStart, otherStop];
    while (from < to && otherFrom < otherTo && one[from] === other[otherFrom]) {
      from += 1;
      otherFrom += 1;
    }
    while (from < to && otherFrom < otherTo && one[to - 1] === other[otherTo - 1]) {
      to -= 1;
      otherTo -= 1;
    }
    if (from === to || otherFrom === otherTo) return add(from, to, otherFrom, otherTo);
    const turn = pace(to - from + otherTo - otherFrom);
    if (turn) await turn;
    const [lines, otherLines] = [one.slice(from, to), other.slice(otherFrom, otherTo)];
    const parts = diffArrays(lines, otherLines, { maxEditLength: MAX_EDITS });
    if (parts) {
      let [at, otherAt] = [from, otherFrom];
      for (const { added, removed, value } of parts) {
        const [before, otherBefore] = [at, otherAt];
        if (!added) at += value.length;
        if (!removed) otherAt += value.length;
        if (added || removed) add(before, at, otherBefore, otherAt);
      }
      return;
    }
    const anchors = await anchorsOf(lines, otherLines, pace);
    if (anchors.length === 0) return add(from, to, otherFrom, otherTo);
    let [at, otherAt] = [from, otherFrom];
    for (const [anchor, otherAnchor] of anchors) {
      await compare(at, from + anchor, otherAt, otherFrom + otherAnchor);
      [at, otherAt] = [from + anchor + 1, otherFrom + otherAnchor + 1];
    }
    await compare(at, to, otherAt, otherTo);
  };

  await compare(0, one.length, 0, other.length);
  return changes;
}

/** Finds the longest common sequence of lines that occur exactly once in both texts, by their positions in each. */
async function anchorsOf(
  one: readonly string[],
  other: readonly string[],
  pace: ShellCommandContext["pace"],
): Promise<readonly (readonly [number, number])[]> {
  const places = await singles(one, pace);
  const otherPlaces = await singles(other, pace);
  const pairs: [number, number][] = [];
  for (const [line, at] of places) {
    const otherAt = otherPlaces.get(line);
    if (otherAt !== undefined) pairs.push([at, otherAt]);
  }
  // The longest increasing subsequence, by patience sorting: each pile's top, and the predecessor of each pair.
  const piles: number[] = [];
  const before: (number | undefined)[] = [];
  pairs.forEach(([, otherAt], index) => {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[piles[middle] ?? 0]?.[1] ?? 0) < otherAt) low = middle + 1;
      else high = middle;
    }
    before[index] = piles[low - 1];
    piles[low] = index;
  });
  const anchors: [number, number][] = [];
  for (let index = piles.at(-1); index !== undefined; index = before[index]) {
    const pair = pairs[index];
    if (pair) anchors.push(pair);
  }
  return anchors.reverse();
}

/** Lines compared between two checks for the end of the command. */
const LINES_PER_STEP = 5_000;

async function singles(
  lines: readonly string[],
  pace: ShellCommandContext["pace"],
): Promise<ReadonlyMap<string, number>> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    else places.set(line, at);
    const turn = at % LINES_PER_STEP === 0 ? pace(LINES_PER_STEP) : undefined;
    if (turn) await turn;
  }
  for (const line of repeated) places.delete(line);
  return places;
}
