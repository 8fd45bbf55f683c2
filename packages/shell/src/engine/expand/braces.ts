import type { Word, WordPart } from "../syntax/word.ts";
import type { ExpansionBounds } from "./expansion.ts";

const RANGE = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/;

/** Characters of a range, with room for three numbers. */
const LONGEST_RANGE = 80;

/** An unquoted character, or a part that braces don't look into. */
type Item =
  | string
  | Exclude<WordPart, { type: "text" }>
  | { readonly type: "quoted"; text: string };

/** The words of `a{b,c}` and `{1..3}`, each made when it is asked for, since there may be a million. */
export function expandBraces(word: Word, bounds: ExpansionBounds): Iterable<Word> {
  if (!word.parts.some((part) => part.type === "text" && !part.isQuoted && part.text.includes("{")))
    return [word];
  const items = word.parts.flatMap((part): Item[] => {
    if (part.type !== "text") return [part];
    return part.isQuoted ? [{ type: "quoted", text: part.text }] : Array.from(part.text);
  });
  const expansion = new Expansion(items);
  const count = expansion.count(0, items.length);
  bounds.words(count, "brace");
  if (count === 1 && expansion.isPlain) return [word];
  return wordsIn(expansion, items.length, word.at);
}

function* wordsIn(expansion: Expansion, length: number, at: number): Iterable<Word> {
  for (const items of expansion.words(0, length)) yield { at, parts: partsOf(items) };
}

/** A brace that is closed. */
interface Group {
  /** Where it is closed. */
  readonly end: number;
  /** Commas at its level; those before it and behind its end are others'. */
  readonly commas: readonly number[];
}

interface Range {
  readonly from: number;
  readonly count: number;
  /** Negative where the range descends. */
  readonly step: number;
  readonly areNumbers: boolean;
  readonly width: number;
}

/** The expansion of one word; a part of it is given by the positions where it begins and ends. */
class Expansion {
  readonly #items: readonly Item[];
  readonly #groups: ReadonlyMap<number, Group>;
  /** The number of commas before each position. */
  readonly #commas: readonly number[];

  constructor(items: readonly Item[]) {
    this.#items = items;
    this.#groups = groupsOf(items);
    let count = 0;
    this.#commas = [0, ...items.map((item) => (item === "," ? ++count : count))];
  }

  /** Without any brace that expands. */
  get isPlain(): boolean {
    return this.#next(0, this.#items.length) === undefined;
  }

  /** The number of words, before any is made. */
  count(from: number, to: number): number {
    const open = this.#next(from, to);
    if (open === undefined) return 1;
    const { end } = this.#groupAt(open);
    const range = this.#rangeAt(open);
    const own = range
      ? range.count
      : this.#alternatives(open).reduce((sum, [start, close]) => sum + this.count(start, close), 0);
    return own * this.count(end + 1, to);
  }

  *words(from: number, to: number): Iterable<readonly Item[]> {
    const open = this.#next(from, to);
    if (open === undefined) {
      yield this.#items.slice(from, to);
      return;
    }
    const { end } = this.#groupAt(open);
    const before = this.#items.slice(from, open);
    for (const choice of this.#choices(open))
      for (const rest of this.words(end + 1, to)) yield [...before, ...choice, ...rest];
  }

  *#choices(open: number): Iterable<readonly Item[]> {
    const range = this.#rangeAt(open);
    if (range) yield* wordsOf(range);
    else for (const [start, close] of this.#alternatives(open)) yield* this.words(start, close);
  }

  /** The first brace that expands. One that closes as a range would, but is none, is text up to its end. */
  #next(from: number, to: number): number | undefined {
    for (let at = from; at < to; at++) {
      const group = this.#groups.get(at);
      const isEmpty = at === from && this.#items[at + 1] === "}";
      if (!group || group.end >= to || isEmpty) continue;
      if (this.#hasComma(at, group.end) || this.#rangeAt(at)) return at;
      at = group.end;
    }
    return undefined;
  }

  #hasComma(from: number, to: number): boolean {
    return this.#commas[from] !== this.#commas[to];
  }

  #groupAt(open: number): Group {
    return this.#groups.get(open) ?? { end: open, commas: [] };
  }

  #alternatives(open: number): (readonly [from: number, to: number])[] {
    const { end, commas } = this.#groupAt(open);
    const starts = [open, ...commas.filter((at) => at > open && at < end)];
    return starts.map((start, at) => [start + 1, starts[at + 1] ?? end]);
  }

  #rangeAt(open: number): Range | undefined {
    const { end } = this.#groupAt(open);
    if (this.#hasComma(open, end) || end - open > LONGEST_RANGE) return undefined;
    const items = this.#items.slice(open + 1, end);
    if (!items.every((item) => typeof item === "string")) return undefined;
    const match = RANGE.exec(items.join(""));
    return match ? rangeOf(match[1] ?? "", match[2] ?? "", Number(match[3] ?? 1)) : undefined;
  }
}

/** The braces that are open at one level, and what they close for. */
interface Level {
  opens: number[];
  /** The first of them. */
  first: number;
  readonly commas: number[];
  /** The last comma, or the dots of a range: a brace closes only behind one. */
  mark: number;
}

function levelOf(...opens: number[]): Level {
  return { opens, first: opens[0] ?? Number.POSITIVE_INFINITY, commas: [], mark: -1 };
}

/**
 * Each brace that is closed. One without a comma stays open at the level around it, as bash has it: `{a}b,c}` is
 * `a}b c`.
 */
function groupsOf(items: readonly Item[]): Map<number, Group> {
  const groups = new Map<number, Group>();
  const levels: Level[] = [];
  let level = levelOf();
  items.forEach((item, at) => {
    if (item === "{") {
      levels.push(level);
      level = levelOf(at);
    } else if (item === ",") level.commas.push((level.mark = at));
    else if (item === "." && items[at + 1] === "." && items[at + 2] !== "}") level.mark = at;
    else if (item === "}") {
      close(level, at, groups);
      const outer = levels.pop();
      if (outer) level = merged(outer, level);
    }
  });
  return groups;
}

function close(level: Level, end: number, groups: Map<number, Group>): void {
  if (level.mark < level.first) return;
  const { commas } = level;
  for (const open of level.opens) if (open < level.mark) groups.set(open, { end, commas });
  level.opens = level.opens.filter((open) => open > level.mark);
  level.first = level.opens.reduce(
    (first, open) => Math.min(first, open),
    Number.POSITIVE_INFINITY,
  );
}

/** The outer level with the braces that are left of the inner one; the fewer are moved. */
function merged(outer: Level, inner: Level): Level {
  const [many, few] =
    inner.opens.length > outer.opens.length
      ? [inner.opens, outer.opens]
      : [outer.opens, inner.opens];
  for (const open of few) many.push(open);
  outer.opens = many;
  outer.first = Math.min(outer.first, inner.first);
  return outer;
}

function rangeOf(first: string, last: string, given: number): Range | undefined {
  const areNumbers = /\d/.test(first) && /\d/.test(last);
  if (!areNumbers && (/\d/.test(first) || /\d/.test(last))) return undefined;
  const [from, to] = areNumbers
    ? [Number(first), Number(last)]
    : [first.charCodeAt(0), last.charCodeAt(0)];
  const step = Math.abs(given) || 1;
  const isPadded = /^-?0\d/.test(first) || /^-?0\d/.test(last);
  return {
    from,
    count: Math.floor(Math.abs(to - from) / step) + 1,
    step: to < from ? -step : step,
    areNumbers,
    width: isPadded ? Math.max(first.length, last.length) : 0,
  };
}

function* wordsOf({ from, count, step, areNumbers, width }: Range): Iterable<readonly Item[]> {
  for (let index = 0; index < count; index++) {
    const value = from + index * step;
    if (!areNumbers) yield [String.fromCharCode(value)];
    else if (value < 0) yield [`-${String(-value).padStart(width - 1, "0")}`];
    else yield [String(value).padStart(width, "0")];
  }
}

/** Braces expand before parameters are read: `$x{a,b}` is `$xa $xb`. */
function longerName(part: WordPart | undefined, text: string): WordPart | undefined {
  if (part?.type !== "parameter" || !/^\$[A-Za-z_]\w*$/.test(part.text)) return undefined;
  const [own = ""] = /^\w*/.exec(text) ?? [];
  if (own !== text) return undefined;
  return { ...part, name: part.name + own, text: part.text + own };
}

function partsOf(items: readonly Item[]): WordPart[] {
  const parts: WordPart[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") parts.push({ type: "text", text, isQuoted: false });
    text = "";
  };
  for (const item of items) {
    if (typeof item === "string") {
      const name = text === "" ? longerName(parts.at(-1), item) : undefined;
      if (name) parts.splice(-1, 1, name);
      else text += item;
      continue;
    }
    flush();
    parts.push(item.type === "quoted" ? { type: "text", text: item.text, isQuoted: true } : item);
  }
  flush();
  return parts;
}
