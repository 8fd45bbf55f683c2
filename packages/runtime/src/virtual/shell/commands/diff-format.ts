/** A place where two texts differ: half-open ranges of lines, from 0. */
export interface Change {
  from: number;
  to: number;
  otherFrom: number;
  otherTo: number;
}

export interface Lines {
  readonly lines: readonly string[];
  /** The last line has no newline after it. */
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

/** A range in the words of the normal format: `3` or `3,5`; an empty one is named by the line before it. */
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
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    if (last && before && change.from - before.to <= context * 2) last.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => formatHunk(one, other, group, context)).join("");
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
