import { concatBytes } from "@robota/runtime/ports";
import { separatorsOf } from "../expand/expansion.ts";
import type { OpenDescription } from "../run/descriptors.ts";
import { report } from "../run/process.ts";
import {
  assertWritable,
  assignVariable,
  expandName,
  isVariableName,
  setElement,
} from "../state/access.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import { decodeShellText } from "../text/bytes.ts";
import { parseOptions, withTexts } from "./builtin.ts";

interface Wanted {
  /** The byte that ends the input; `undefined` for none. */
  readonly delimiter: number | undefined;
  readonly isRaw: boolean;
  readonly characters: number;
}

const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;

/** Reads bytes up to a delimiter, and leaves what follows to the next reader. */
export async function readUntil(
  file: OpenDescription,
  { delimiter, isRaw, characters }: Wanted,
): Promise<{ bytes: Uint8Array; isComplete: boolean }> {
  const chunks: Uint8Array[] = [];
  let [count, isEscaped] = [0, false];
  for (let chunk = await file.read(); chunk; chunk = await file.read()) {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      // The bytes that continue a character don't count.
      const isNext = (byte & 0xc0) !== 0x80;
      if (isNext && count >= characters) {
        chunks.push(chunk.subarray(0, at));
        file.unread(chunk.subarray(at));
        return { bytes: concatBytes(chunks), isComplete: true };
      }
      const isEnd = byte === delimiter && !isEscaped;
      if (!isRaw && byte === BACKSLASH && !isEscaped) {
        isEscaped = true;
        continue;
      }
      // A newline that is escaped is none.
      if (isNext && !(isEscaped && byte === NEWLINE)) count++;
      isEscaped = false;
      if (!isEnd) continue;
      chunks.push(chunk.subarray(0, at));
      file.unread(chunk.subarray(at + 1));
      return { bytes: concatBytes(chunks), isComplete: true };
    }
    chunks.push(chunk);
  }
  return { bytes: concatBytes(chunks), isComplete: count >= characters && characters > 0 };
}

export const read = withTexts(async (process, args) => {
  const { state, descriptors } = process;
  const { options, rest, wrong } = parseOptions(args, { flags: "ersE", valued: "adinNptu" });
  if (wrong !== undefined) {
    await report(process, `read: ${wrong}: invalid option`);
    return 2;
  }
  const file = descriptors.get(Number(options.get("u") ?? 0));
  if (!file?.canRead) {
    await report(
      process,
      `read: ${options.get("u") ?? 0}: invalid file descriptor: Bad file descriptor`,
    );
    return 1;
  }
  if (options.has("t") && Number(options.get("t")) === 0) return 0;
  const limit = options.get("N") ?? options.get("n");
  const isRaw = options.has("r");
  const delimiter = options.has("N") ? undefined : (options.get("d") ?? "\n").charCodeAt(0) || 0;
  const characters = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  const { bytes, isComplete } = await readUntil(file, { delimiter, isRaw, characters });
  const text = decodeShellText(bytes).replaceAll("\0", "");
  const separators = options.has("N") ? "" : separatorsOf(state);
  const array = options.get("a");
  const items = isRaw ? Array.from(text, plain) : unescape(text);
  if (array !== undefined) {
    assertWritable(state, array);
    const fields = split(items, separators, Number.POSITIVE_INFINITY);
    state.variables.set(array, new IndexedArray());
    for (const [index, field] of fields.entries()) setElement(state, array, index, field);
  } else if (rest.length === 0)
    assignVariable(state, "REPLY", items.map(([character]) => character).join(""));
  else {
    const fields = split(items, separators, rest.length);
    for (const [index, name] of rest.entries()) {
      if (!isVariableName(name)) {
        await report(process, `read: \`${name}': not a valid identifier`);
        return 1;
      }
      const target = expandName(state, name);
      assignVariable(state, target.name, fields[index] ?? "", { subscript: target.subscript });
    }
  }
  return isComplete ? 0 : 1;
});

/** A character, and whether it was escaped, so that it separates nothing. */
type Item = readonly [character: string, isEscaped: boolean];

function plain(character: string): Item {
  return [character, false];
}

function unescape(text: string): Item[] {
  const items: Item[] = [];
  let isEscaped = false;
  for (const character of text) {
    if (character === "\\" && !isEscaped) {
      isEscaped = true;
      continue;
    }
    if (!isEscaped || character.charCodeAt(0) !== NEWLINE) items.push([character, isEscaped]);
    isEscaped = false;
  }
  return items;
}

/** Splits at the separators; the last field takes the rest. */
function split(items: readonly Item[], separators: string, count: number): string[] {
  const isSeparator = ([character, isEscaped]: Item): boolean =>
    !isEscaped && separators.includes(character);
  const isSpace = (item: Item | undefined): boolean =>
    item !== undefined && isSeparator(item) && /\s/.test(item[0]);
  let [start, end] = [0, items.length];
  while (start < end && isSpace(items[start])) start++;
  while (end > start && isSpace(items[end - 1])) end--;
  const fields: string[] = [];
  let at = start;
  while (at < end) {
    if (fields.length === count - 1) {
      fields.push(lastField(items.slice(at, end), isSeparator));
      return fields;
    }
    let field = "";
    while (at < end && !isSeparator(items[at] ?? ["", false])) field += items[at++]?.[0] ?? "";
    fields.push(field);
    while (at < end && isSpace(items[at])) at++;
    if (at < end && isSeparator(items[at] ?? ["", false]) && !isSpace(items[at - 1])) {
      at++;
      while (at < end && isSpace(items[at])) at++;
    } else if (at < end && isSeparator(items[at] ?? ["", false])) {
      at++;
      while (at < end && isSpace(items[at])) at++;
    }
  }
  return fields;
}

/** A separator at the end belongs to the last field, unless it is the only one in it. */
function lastField(items: readonly Item[], isSeparator: (item: Item) => boolean): string {
  const last = items.at(-1);
  const isOnly =
    last !== undefined &&
    isSeparator(last) &&
    items.slice(0, -1).every((item) => !isSeparator(item));
  return (isOnly ? items.slice(0, -1) : items).map(([character]) => character).join("");
}
