import type { Word, WordPart } from "../syntax/word.ts";
import { ExpansionError } from "../state/access.ts";

const MAX_WORDS = 1_000_000;
const RANGE = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/;

/** An unquoted character, or a part that braces don't look into. */
type Item =
  | string
  | Exclude<WordPart, { type: "text" }>
  | { readonly type: "quoted"; text: string };

/** The words of `a{b,c}` and `{1..3}`. @throws {ExpansionError} when there are too many */
export function expandBraces(word: Word): readonly Word[] {
  if (!word.parts.some((part) => part.type === "text" && !part.isQuoted && part.text.includes("{")))
    return [word];
  const items = word.parts.flatMap((part): Item[] => {
    if (part.type !== "text") return [part];
    return part.isQuoted ? [{ type: "quoted", text: part.text }] : Array.from(part.text);
  });
  const results = expandItems(items);
  if (results.length === 1 && results[0] === items) return [word];
  return results.map((result) => ({ at: word.at, parts: partsOf(result) }));
}

function expandItems(items: readonly Item[]): (readonly Item[])[] {
  for (let open = items.indexOf("{"); open !== -1; open = items.indexOf("{", open + 1)) {
    const group = readGroup(items, open);
    const choices = group && choicesOf(group.alternatives);
    if (!choices) continue;
    const before = items.slice(0, open);
    const rests = expandItems(items.slice(group.end));
    if (choices.length * rests.length > MAX_WORDS)
      throw new ExpansionError(`brace expansion: more than ${MAX_WORDS} words`);
    return choices.flatMap((choice) => rests.map((rest) => [...before, ...choice, ...rest]));
  }
  return [items];
}

/** The alternatives between a brace and the one that closes it. */
function readGroup(
  items: readonly Item[],
  open: number,
): { alternatives: (readonly Item[])[]; end: number } | undefined {
  const alternatives: Item[][] = [[]];
  let depth = 0;
  for (let at = open + 1; at < items.length; at++) {
    const item = items[at] ?? "";
    if (item === "}" && depth === 0) return { alternatives, end: at + 1 };
    if (item === "{") depth++;
    else if (item === "}") depth--;
    if (item === "," && depth === 0) alternatives.push([]);
    else alternatives.at(-1)?.push(item);
  }
  return undefined;
}

function choicesOf(alternatives: readonly (readonly Item[])[]): (readonly Item[])[] | undefined {
  if (alternatives.length > 1)
    return alternatives.flatMap((alternative) => expandItems(alternative));
  const [only = []] = alternatives;
  if (!only.every((item) => typeof item === "string")) return undefined;
  const match = RANGE.exec(only.join(""));
  if (!match) return undefined;
  const words = rangeOf(match[1] ?? "", match[2] ?? "", Math.abs(Number(match[3] ?? 1)) || 1);
  return words?.map((text) => Array.from(text));
}

function rangeOf(first: string, last: string, step: number): string[] | undefined {
  const areNumbers = /\d/.test(first) && /\d/.test(last);
  if (!areNumbers && (/\d/.test(first) || /\d/.test(last))) return undefined;
  const [from, to] = areNumbers
    ? [Number(first), Number(last)]
    : [first.charCodeAt(0), last.charCodeAt(0)];
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > MAX_WORDS) throw new ExpansionError(`brace expansion: more than ${MAX_WORDS} words`);
  const isPadded = /^-?0\d/.test(first) || /^-?0\d/.test(last);
  const width = isPadded ? Math.max(first.length, last.length) : 0;
  return Array.from({ length: count }, (_, index) => {
    const value = from + (to < from ? -index : index) * step;
    if (!areNumbers) return String.fromCharCode(value);
    return value < 0
      ? `-${String(-value).padStart(width - 1, "0")}`
      : String(value).padStart(width, "0");
  });
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
      text += item;
      continue;
    }
    flush();
    parts.push(item.type === "quoted" ? { type: "text", text: item.text, isQuoted: true } : item);
  }
  flush();
  return parts;
}
