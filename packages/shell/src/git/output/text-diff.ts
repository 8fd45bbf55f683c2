import { type Change, type Lines, toLines } from "../../commands/compare/diff-format.ts";
import { changesBetween } from "../../commands/compare/line-changes.ts";

export interface TextDiffOptions {
  /** Lines of context around a change. Default 3. */
  context?: number | undefined;
  /** Ignores all blanks, or their amount. */
  ignoresBlanks?: "all" | "amount";
}

export interface TextDiff {
  /** The hunks from the first `@@` on; empty without differences. */
  hunks: string;
  added: number;
  removed: number;
}

/** Compares two texts in the unified format, as git formats it. */
export async function diffTexts(
  old: string,
  now: string,
  options: TextDiffOptions = {},
): Promise<TextDiff> {
  const { context = 3, ignoresBlanks } = options;
  const [one, other] = [linesOf(old), linesOf(now)];
  const changes = await shownChanges(one, other, ignoresBlanks);
  const [added, removed] = [
    changes.reduce((sum, { otherFrom, otherTo }) => sum + otherTo - otherFrom, 0),
    changes.reduce((sum, { from, to }) => sum + to - from, 0),
  ];
  return { hunks: hunksOf(one, other, changes, context), added, removed };
}

function linesOf(text: string): Lines {
  return text === "" ? { lines: [], isOpen: false } : toLines(text);
}

async function shownChanges(
  one: Lines,
  other: Lines,
  ignoresBlanks: TextDiffOptions["ignoresBlanks"],
): Promise<Change[]> {
  const keys = ({ lines, isOpen }: Lines): string[] =>
    lines.map((line, at) => {
      // A last line without its newline is a different line.
      const end = isOpen && at === lines.length - 1 ? "" : "\n";
      if (ignoresBlanks === "all") return line.replace(/\s+/g, "");
      if (ignoresBlanks === "amount") return line.replace(/\s+/g, " ").trimEnd();
      return line + end;
    });
  const [left, right] = [keys(one), keys(other)];
  const changes = await changesBetween(left, right);
  for (const [index, change] of changes.entries()) {
    const [before, after] = [changes[index - 1], changes[index + 1]];
    slide(change, left, right, {
      low: { at: before?.to ?? 0, otherAt: before?.otherTo ?? 0 },
      high: { at: after?.from ?? left.length, otherAt: after?.otherFrom ?? right.length },
    });
  }
  return changes;
}

interface Bounds {
  low: { at: number; otherAt: number };
  high: { at: number; otherAt: number };
}

/** Positions to try for a change, and blank lines to skip; the same limits as git's. */
const [MAX_SLIDE, MAX_BLANKS] = [100, 20];

/** Slides a pure addition or removal among equal lines to the most readable position. */
function slide(
  change: Change,
  left: readonly string[],
  right: readonly string[],
  { low, high }: Bounds,
): void {
  const isAdded = change.from === change.to;
  if (isAdded === (change.otherFrom === change.otherTo)) return;
  const lines = isAdded ? right : left;
  const [start, end] = isAdded ? [change.otherFrom, change.otherTo] : [change.from, change.to];
  const [first, last] = isAdded ? [low.otherAt, high.otherAt] : [low.at, high.at];
  let [up, down] = [0, 0];
  while (start - up > first && lines[start - up - 1] === lines[end - up - 1]) up += 1;
  while (end + down < last && lines[start + down] === lines[end + down]) down += 1;
  if (up === 0 && down === 0) return;
  let best = down;
  for (let shift = down - 1; shift >= Math.max(-up, down - MAX_SLIDE); shift--) {
    if (cost(lines, start + shift, end + shift) < cost(lines, start + best, end + best))
      best = shift;
  }
  change.from += best;
  change.to += best;
  change.otherFrom += best;
  change.otherTo += best;
}

/** Penalty of a cut before the lines `start` and `end`: high deep inside a block. */
function cost(lines: readonly string[], start: number, end: number): number {
  return cutCost(lines, start) + cutCost(lines, end);
}

function cutCost(lines: readonly string[], at: number): number {
  if (at >= lines.length) return 0;
  const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === "";
  let next = at;
  while (next < Math.min(lines.length, at + MAX_BLANKS) && isBlank(lines[next])) next += 1;
  const indent = indentOf(lines[next]);
  let before = at - 1;
  while (before >= Math.max(0, at - MAX_BLANKS) && isBlank(lines[before])) before -= 1;
  const indentBefore = before < 0 ? 0 : indentOf(lines[before]);
  const blanks = at - 1 - before;
  // Closing lines of a block belong to the lines before them.
  const isEnd = indent < indentBefore && blanks === 0;
  return indent * 60 + (isEnd ? 24 : 0) + (next > at ? 6 : 0) - blanks * 30;
}

function indentOf(line = ""): number {
  let width = 0;
  for (const letter of line) {
    if (letter === " ") width += 1;
    else if (letter === "\t") width += 8 - (width % 8);
    else break;
  }
  return width;
}

function hunksOf(one: Lines, other: Lines, changes: readonly Change[], context: number): string {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group && before && change.from - before.to <= context * 2) group.push(change);
    else groups.push([change]);
  }
  let [text, heading, seen] = ["", "", 0];
  for (const group of groups) {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) continue;
    const start = Math.max(0, first.from - context);
    const end = Math.min(one.lines.length, last.to + context);
    heading = headingBetween(one.lines, seen, start) ?? heading;
    seen = start;
    const otherStart = first.otherFrom - (first.from - start);
    const otherEnd = last.otherTo + (end - last.to);
    const ranges = `-${range(start, end)} +${range(otherStart, otherEnd)}`;
    text += `@@ ${ranges} @@${heading === "" ? "" : ` ${heading}`}\n`;
    let at = start;
    for (const { from, to, otherFrom, otherTo } of group) {
      // Lines that differ in blanks only are shown in their new form.
      text += marked(other, otherFrom - (from - at), otherFrom, " ");
      text += marked(one, from, to, "-") + marked(other, otherFrom, otherTo, "+");
      at = to;
    }
    text += marked(other, otherEnd - (end - at), otherEnd, " ");
  }
  return text;
}

function range(from: number, to: number): string {
  const length = to - from;
  const start = length === 0 ? from : from + 1;
  return length === 1 ? String(start) : `${start},${length}`;
}

function marked({ lines, isOpen }: Lines, from: number, to: number, mark: string): string {
  const text = lines.slice(from, to).map((line) => `${mark}${line}\n`);
  const hasOpenEnd = isOpen && to === lines.length && from < to;
  return text.join("") + (hasOpenEnd ? "\\ No newline at end of file\n" : "");
}

const MAX_OF_A_HEADING = 80;

/** The last line in a range that begins like a function, a class or a title. */
function headingBetween(lines: readonly string[], from: number, to: number): string | undefined {
  for (let at = to - 1; at >= from; at--) {
    const line = lines[at] ?? "";
    if (/^[A-Za-z_$]/.test(line)) return line.slice(0, MAX_OF_A_HEADING).trimEnd();
  }
  return undefined;
}
