import { ToolFailure } from "../../failure.ts";

/** Maximum number of expansions; ten times `{a,b}` would be 1,024. */
const MAX_ALTERNATIVES = 500;

/**
 * Expands the braces of a pattern: `{a,b}` lists, nested ones too, and `{1..3}` or `{a..c}` ranges. Other braces stay
 * unchanged, and so do escaped characters.
 * @throws {ToolFailure} `invalid_pattern` when there are too many
 */
export function expandBraces(pattern: string): string[] {
  const group = firstGroup(pattern);
  if (!group) return [pattern];
  const head = pattern.slice(0, group.start);
  const tails = expandBraces(pattern.slice(group.end + 1));
  const bodies = group.items.flatMap(expandBraces);
  if (bodies.length * tails.length > MAX_ALTERNATIVES) {
    throw new ToolFailure("invalid_pattern", `The braces expand to too many patterns: ${pattern}`, {
      hint: `At most ${MAX_ALTERNATIVES} are possible; use * instead of listing names.`,
    });
  }
  return bodies.flatMap((body) => tails.map((tail) => head + body + tail));
}

interface BraceGroup {
  /** Offset of the opening brace. */
  start: number;
  /** Offset of the closing brace. */
  end: number;
  items: string[];
}

/** The first expandable pair of braces. */
function firstGroup(pattern: string): BraceGroup | undefined {
  const open: { start: number; commas: number[] }[] = [];
  let found: BraceGroup | undefined;
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern[index];
    if (char === "\\") index += 1;
    else if (char === "{") open.push({ start: index, commas: [] });
    else if (char === ",") open.at(-1)?.commas.push(index);
    else if (char === "}") {
      const { start, commas } = open.pop() ?? {};
      if (start === undefined || !commas) continue;
      const items = itemsOf(pattern, start, index, commas);
      // An outer pair closes after the inner ones and takes their place.
      if (items && (!found || start < found.start)) {
        if (found && found.end < start) return found;
        found = { start, end: index, items };
      }
      if (found && open.length === 0) return found;
    }
  }
  return found;
}

function itemsOf(
  pattern: string,
  start: number,
  end: number,
  commas: readonly number[],
): string[] | undefined {
  if (commas.length === 0) return rangeOf(pattern.slice(start + 1, end));
  const borders = [start, ...commas, end];
  return borders.slice(1).map((border, index) => pattern.slice(borders[index]! + 1, border));
}

function rangeOf(body: string): string[] | undefined {
  const [, from, to] = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(body) ?? [];
  if (from !== undefined && to !== undefined) return count(Number(from), Number(to), String);
  const [, first, last] = /^([A-Za-z])\.\.([A-Za-z])$/.exec(body) ?? [];
  if (first === undefined || last === undefined) return undefined;
  return count(first.charCodeAt(0), last.charCodeAt(0), (code) => String.fromCharCode(code));
}

function count(from: number, to: number, name: (value: number) => string): string[] {
  // One more than allowed, which makes the caller reject it.
  const length = Math.min(Math.abs(to - from), MAX_ALTERNATIVES) + 1;
  const step = to < from ? -1 : 1;
  return Array.from({ length }, (_, index) => name(from + index * step));
}
