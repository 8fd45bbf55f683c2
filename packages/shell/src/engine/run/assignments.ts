import type { ExpansionHost } from "../expand/expansion.ts";
import { expandText, expandValue, expandWords } from "../expand/words.ts";
import {
  assertWhole,
  assertWritable,
  assignVariable,
  ExpansionError,
  indexOf,
  resolveName,
  valueFor,
} from "../state/access.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import type { ArrayElement, ArrayValue, Assignment } from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import { type Process, report } from "./process.ts";
import { hostOf } from "./substitution.ts";
import { isTraced, trace, tracedValue } from "./trace.ts";

/** Assigns as a script says, and shows it in a trace, unless the assignment is an argument. */
export async function assign(
  process: Process,
  assignment: Assignment,
  { isArgument = false }: { isArgument?: boolean } = {},
): Promise<void> {
  const { state } = process;
  const { name, isAppended, value } = assignment;
  const operator = isAppended ? "+=" : "=";
  if ("elements" in value) {
    if (assignment.subscript) throw await noList(process, name, assignment.subscript);
    const text = await assignArray(process, assignment, value);
    if (isTraced(process) && !isArgument) await trace(process, name + operator + text);
    return;
  }
  const text = await expandValue(value, hostOf(process));
  const subscript =
    assignment.subscript && (await expandText(assignment.subscript, hostOf(process)));
  if (assignment.subscript?.parts.length === 0)
    throw new ExpansionError(`${name}[]: bad array subscript`);
  if (isTraced(process)) {
    const place = subscript === undefined ? name : `${name}[${subscript}]`;
    await trace(process, place + operator + tracedValue(text));
  }
  assignVariable(state, name, text, { subscript, isAppended });
}

async function noList(process: Process, name: string, subscript: Word): Promise<ExpansionError> {
  const text = await expandText(subscript, hostOf(process));
  return new ExpansionError(`${name}[${text}]: cannot assign list to array member`, {
    endsLine: true,
  });
}

/** An array as the text that it is where nothing can hold one. */
export async function textOfArray({ elements }: ArrayValue, host: ExpansionHost): Promise<string> {
  const texts: string[] = [];
  for (const { word } of elements) texts.push(await expandText(word, host));
  return `(${texts.join(" ")})`;
}

async function assignArray(
  process: Process,
  { name: given, isAppended }: Assignment,
  { elements }: ArrayValue,
): Promise<string> {
  const { state } = process;
  assertWhole(state, given);
  const name = resolveName(state, given);
  const variable = state.variables.get(name);
  assertWritable(state, name);
  const isMap = variable?.value instanceof Map;
  const entries = await entriesOf(process, elements, isMap);
  for (const { key = "", text } of entries) state.variables.charge(key.length + text.length);
  const former = variable?.value instanceof Map ? variable.value : new Map<string, string>();
  if (!isAppended) state.variables.set(name, isMap ? new Map() : new IndexedArray());
  const wrong = isMap
    ? assignPairs(process, name, { entries, former })
    : assignIndexes(process, name, entries);
  for (const reason of wrong) await report(process, reason);
  if (state.options.has("allexport")) state.variables.setAttribute(name, "exported", true);
  return `(${entries.map(({ text }) => text).join(" ")})`;
}

interface Entry {
  readonly key: string | undefined;
  readonly text: string;
  readonly isAppended: boolean;
}

async function entriesOf(
  process: Process,
  elements: readonly ArrayElement[],
  isMap: boolean,
): Promise<Entry[]> {
  const host = hostOf(process);
  const entries: Entry[] = [];
  // Behind an element without a key, one with a key is but a word of a map.
  const hasKeys = !isMap || elements[0]?.subscript !== undefined;
  for (const { subscript, value, word, isAppended } of elements) {
    if (subscript && hasKeys) {
      const key = await expandText(subscript, host);
      entries.push({ key, text: await expandValue(value, host), isAppended });
    } else {
      const texts = isMap
        ? [await expandText(word, host)]
        : await expandWords([value], host, { areElements: true });
      for (const text of texts) entries.push({ key: undefined, text, isAppended: false });
    }
  }
  return entries;
}

/** @returns the reasons why entries have no place */
function assignPairs(
  { state }: Process,
  name: string,
  { entries, former }: { entries: readonly Entry[]; former: ReadonlyMap<string, string> },
): string[] {
  const map = state.variables.map(name);
  const variable = state.variables.get(name);
  const wrong: string[] = [];
  // Without a first key, the texts are keys and values by turns.
  const hasKeys = entries[0]?.key !== undefined;
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at];
    if (!entry) continue;
    const { isAppended } = entry;
    const key = hasKeys ? entry.key : entry.text;
    const text = hasKeys ? entry.text : (entries[++at]?.text ?? "");
    if (key === undefined)
      wrong.push(`${name}: ${text}: must use subscript when assigning associative array`);
    else if (key === "") wrong.push(`[]=${text}: bad array subscript`);
    else {
      const before = isAppended ? (former.get(key) ?? "") : "";
      map.set(key, valueFor(state, variable, { before, text, isAppended }));
    }
  }
  return wrong;
}

/** @returns the reasons why entries have no place */
function assignIndexes({ state }: Process, name: string, entries: readonly Entry[]): string[] {
  const wrong: string[] = [];
  const array = state.variables.array(name);
  const variable = state.variables.get(name);
  let next = array.end;
  for (const entry of entries) {
    const { key, text, isAppended } = entry;
    const index = key === undefined ? next : indexOf(state, key, array);
    if (index < 0) {
      wrong.push(`[${key ?? ""}]=${text}: bad array subscript`);
      continue;
    }
    const before = isAppended ? (array.get(index) ?? "") : "";
    array.set(index, valueFor(state, variable, { before, text, isAppended }));
    next = index + 1;
  }
  return wrong;
}
