import type { ShellCommandContext } from "../../command.ts";

/** Items for one call of the host's own sort: fewer when each comparison may search for fields. */
const RUN = 256;
const PLAIN_RUN = 16_384;

/** Order by code units, which the host's default sort does many times as fast. */
export const plainOrder = (one: string, other: string): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** A stable sort that yields to the event loop, and ends when the command must. */
export async function sortInTurns(
  lines: readonly string[],
  compare: (one: string, other: string) => number,
  pace: ShellCommandContext["pace"],
): Promise<string[]> {
  const isPlain = compare === plainOrder;
  const length = isPlain ? PLAIN_RUN : RUN;
  let runs: string[][] = [];
  for (let from = 0; from < lines.length; from += length) {
    const turn = pace(length);
    if (turn) await turn;
    const run = lines.slice(from, from + length);
    runs.push(isPlain ? run.sort() : run.sort(compare));
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [one = [], other] = [runs[at], runs[at + 1]];
      merged.push(other ? await merge(one, other, compare, pace) : one);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge(
  one: readonly string[],
  other: readonly string[],
  compare: (one: string, other: string) => number,
  pace: ShellCommandContext["pace"],
): Promise<string[]> {
  const merged: string[] = [];
  let [at, otherAt] = [0, 0];
  while (at < one.length && otherAt < other.length) {
    const turn = pace(0.25);
    if (turn) await turn;
    const [line = "", otherLine = ""] = [one[at], other[otherAt]];
    if (compare(line, otherLine) <= 0) {
      merged.push(line);
      at += 1;
    } else {
      merged.push(otherLine);
      otherAt += 1;
    }
  }
  for (; at < one.length; at++) merged.push(one[at] ?? "");
  for (; otherAt < other.length; otherAt++) merged.push(other[otherAt] ?? "");
  return merged;
}
