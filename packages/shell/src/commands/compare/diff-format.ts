// Own formatters instead of `formatPatch` of the package `diff`, which finds the differences: it writes the unified
// format only, and accepts no changes found with case or blanks ignored.

/** A place where two texts differ: half-open ranges of lines, from 0. */
export interface Change {
  from: number;
  to: number;
  otherFrom: number;
  otherTo: number;
}

export interface Lines {
  readonly lines: readonly string[];
  /** True if the last line has no newline. */
  readonly isOpen: boolean;
}

export function toLines(text: string): Lines {
  const lines = text.split("\n");
  const isOpen = lines.at(-1) !== "";
  if (!isOpen) lines.pop();
  return { lines, isOpen };
}

/** The lines from `from` to `to` after `mark`, with the note about a missing last newline. */
function marked({ lines, isOpen }: Lines, from: number, to: number, mark: string): string {
  const text = lines.slice(from, to).map((line) => `${mark}${line}\n`);
  const hasOpenEnd = isOpen && to === lines.length && from < to;
  return text.join("") + (hasOpenEnd ? "\\ No newline at end of file\n" : "");
}

/** Formats a range in the normal format: `3` or `3,5`; an empty one is named by the line before it. */
function normalRange(from: number, to: number): string {
  if (to - from <= 1) return String(to);
  return `${from + 1},${to}`;
}

export function formatNormal(one: Lines, other: Lines, changes: readonly Change[]): string {
  return changes
    .map(({ from, to, otherFrom, otherTo }) => {
      const letter = from === to ? "a" : otherFrom === otherTo ? "d" : "c";
      const head = `${normalRange(from, to)}${letter}${normalRange(otherFrom, otherTo)}\n`;
      const separator = letter === "c" ? "---\n" : "";
      return (
        head + marked(one, from, to, "< ") + separator + marked(other, otherFrom, otherTo, "> ")
      );
    })
    .join("");
}

function unifiedRange(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(to);
  return `${length === 0 ? from : from + 1},${length}`;
}

export function formatUnified(
  one: Lines,
  other: Lines,
  changes: readonly Change[],
  context: number,
): string {
  return groupsOf(changes, context)
    .map((group) => formatHunk(one, other, group, context))
    .join("");
}

/** Groups changes whose context would touch. */
function groupsOf(changes: readonly Change[], context: number): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    if (last && before && change.from - before.to <= context * 2) last.push(change);
    else groups.push([change]);
  }
  return groups;
}

export function formatContext(
  one: Lines,
  other: Lines,
  changes: readonly Change[],
  context: number,
): string {
  return groupsOf(changes, context)
    .map((group) => {
      const [first, last] = [group[0], group.at(-1)];
      if (!first || !last) return "";
      const start = Math.max(0, first.from - context);
      const end = Math.min(one.lines.length, last.to + context);
      const otherStart = first.otherFrom - (first.from - start);
      const otherEnd = last.otherTo + (end - last.to);
      let [left, right] = ["", ""];
      let [at, otherAt] = [start, otherStart];
      for (const { from, to, otherFrom, otherTo } of group) {
        const isChange = from < to && otherFrom < otherTo;
        left += marked(one, at, from, "  ") + marked(one, from, to, isChange ? "! " : "- ");
        right += marked(other, otherAt, otherFrom, "  ");
        right += marked(other, otherFrom, otherTo, isChange ? "! " : "+ ");
        [at, otherAt] = [to, otherTo];
      }
      left += marked(one, at, end, "  ");
      right += marked(other, otherAt, otherEnd, "  ");
      const isAdded = group.every(({ from, to }) => from === to);
      const isRemoved = group.every(({ otherFrom, otherTo }) => otherFrom === otherTo);
      const range = (from: number, to: number): string =>
        to - from <= 1 ? String(to) : `${from + 1},${to}`;
      return (
        `***************\n*** ${range(start, end)} ****\n${isAdded ? "" : left}` +
        `--- ${range(otherStart, otherEnd)} ----\n${isRemoved ? "" : right}`
      );
    })
    .join("");
}

/** Formats commands of `ed`, from the last change to the first. */
export function formatEd(other: Lines, changes: readonly Change[]): string {
  return changes
    .toReversed()
    .map(({ from, to, otherFrom, otherTo }) => {
      if (otherFrom === otherTo) return `${normalRange(from, to)}d\n`;
      const letter = from === to ? "a" : "c";
      return `${normalRange(from, to)}${letter}\n${marked(other, otherFrom, otherTo, "")}.\n`;
    })
    .join("");
}

const TAB = 8;
const GUTTER = 3;

/** Formats both files side by side, in columns aligned by tabs. */
export function formatSideBySide(
  one: Lines,
  other: Lines,
  changes: readonly Change[],
  width: number,
  isOnlyChanges: boolean,
): string {
  const right = Math.floor((width + TAB + GUTTER) / (2 * TAB)) * TAB;
  const column = Math.max(0, Math.min(right - GUTTER, width - right));
  const middle = Math.floor((column + right - 1) / 2);
  const line = (left: string, sign: string, text: string | undefined): string => {
    const shown = left.slice(0, column);
    if (sign === "") return `${padTabs(shown, right)}${(text ?? "").slice(0, width - right)}\n`;
    const gutter = `${padTabs(shown, middle)}${sign}`;
    return text === undefined || text === ""
      ? `${gutter}\n`
      : `${gutter}\t${text.slice(0, width - right)}\n`;
  };
  let [output, at] = ["", 0];
  const same = (to: number, shift: number): void => {
    for (; at < to; at++) {
      if (!isOnlyChanges) output += line(one.lines[at] ?? "", "", other.lines[at + shift]);
    }
  };
  let shift = 0;
  for (const { from, to, otherFrom, otherTo } of changes) {
    same(from, shift);
    const rows = Math.max(to - from, otherTo - otherFrom);
    for (let row = 0; row < rows; row++) {
      const [left, text] = [from + row < to, otherFrom + row < otherTo];
      const isOpenPair =
        left &&
        text &&
        otherFrom + row === other.lines.length - 1 &&
        other.isOpen !== (one.isOpen && from + row === one.lines.length - 1);
      const sign = left && text ? (isOpenPair ? "/" : "|") : left ? "<" : ">";
      output += line(
        left ? (one.lines[from + row] ?? "") : "",
        sign,
        text ? other.lines[otherFrom + row] : undefined,
      );
    }
    at = to;
    shift = otherTo - to;
  }
  same(one.lines.length, shift);
  return output;
}

/** Pads up to a column with tabs as far as possible, then with blanks. */
function padTabs(text: string, column: number): string {
  let [output, length] = [text, text.length];
  while (Math.floor(length / TAB) * TAB + TAB <= column) {
    output += "\t";
    length = Math.floor(length / TAB) * TAB + TAB;
  }
  return output + " ".repeat(Math.max(0, column - length));
}

function formatHunk(one: Lines, other: Lines, group: readonly Change[], context: number): string {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last) return "";
  const start = Math.max(0, first.from - context);
  const end = Math.min(one.lines.length, last.to + context);
  const otherStart = first.otherFrom - (first.from - start);
  const otherEnd = last.otherTo + (end - last.to);
  let text = `@@ -${unifiedRange(start, end)} +${unifiedRange(otherStart, otherEnd)} @@\n`;
  let at = start;
  for (const { from, to, otherFrom, otherTo } of group) {
    text += marked(one, at, from, " ");
    text += marked(one, from, to, "-") + marked(other, otherFrom, otherTo, "+");
    at = to;
  }
  return text + marked(one, at, end, " ");
}
