import type { ShellCommandContext } from "../command.ts";

/** What the host's own sort takes at once. */
const RUN = 2048;

/** A stable sort that lets others have their turns, and ends when it is told to. */
export async function sortInTurns(
  lines: readonly string[],
  compare: (one: string, other: string) => number,
  pace: ShellCommandContext["pace"],
): Promise<string[]> {
  let runs: string[][] = [];
  for (let from = 0; from < lines.length; from += RUN) {
    const turn = pace(RUN);
    if (turn) await turn;
    runs.push(lines.slice(from, from + RUN).sort(compare));
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
