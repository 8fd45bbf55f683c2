import { expandText, expandValue, expandWords } from "../expand/words.ts";
import {
  assertWritable,
  assignVariable,
  ExpansionError,
  indexOf,
  resolveName,
  valueFor,
} from "../state/access.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import type { ArrayElement, ArrayValue, Assignment } from "../syntax/tree.ts";
import { type Process, report } from "./process.ts";
import { hostOf } from "./substitution.ts";

/** Assigns as a script says. @returns the text that was assigned, for the judge and the trace */
export async function assign(process: Process, assignment: Assignment): Promise<string> {
  const { state } = process;
  const { name, isAppended, value } = assignment;
  if ("elements" in value) return assignArray(process, assignment, value);
  const text = await expandValue(value, hostOf(process));
  const subscript =
    assignment.subscript && (await expandText(assignment.subscript, hostOf(process)));
  if (assignment.subscript?.parts.length === 0)
    throw new ExpansionError(`${name}[]: bad array subscript`);
  assignVariable(state, name, text, { subscript, isAppended });
  return text;
}

async function assignArray(
  process: Process,
  { name: given, isAppended }: Assignment,
  { elements }: ArrayValue,
): Promise<string> {
  const { state } = process;
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
  for (const { key = "", text } of wrong)
    await report(process, `[${key}]=${text}: bad array subscript`);
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
  for (const { subscript, value, isAppended } of elements) {
    if (subscript) {
      const key = await expandText(subscript, host);
      entries.push({ key, text: await expandValue(value, host), isAppended });
    } else {
      const texts = isMap
        ? [await expandText(value, host)]
        : await expandWords([value], host, { areElements: true });
      for (const text of texts) entries.push({ key: undefined, text, isAppended: false });
    }
  }
  return entries;
}

/** @returns the entries that have no place */
function assignPairs(
  { state }: Process,
  name: string,
  { entries, former }: { entries: readonly Entry[]; former: ReadonlyMap<string, string> },
): Entry[] {
  const map = state.variables.map(name);
  const variable = state.variables.get(name);
  const wrong: Entry[] = [];
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at];
    if (!entry) continue;
    const { key = entry.text, isAppended } = entry;
    // Without keys, the texts are keys and values by turns.
    const text = entry.key === undefined ? (entries[++at]?.text ?? "") : entry.text;
    const before = isAppended ? (former.get(key) ?? "") : "";
    if (key === "") wrong.push(entry);
    else map.set(key, valueFor(state, variable, { before, text, isAppended }));
  }
  return wrong;
}

/** @returns the entries that have no place */
function assignIndexes({ state }: Process, name: string, entries: readonly Entry[]): Entry[] {
  const wrong: Entry[] = [];
  const array = state.variables.array(name);
  const variable = state.variables.get(name);
  let next = array.end;
  for (const entry of entries) {
    const { key, text, isAppended } = entry;
    const index = key === undefined ? next : indexOf(state, key, array);
    if (index < 0) {
      wrong.push(entry);
      continue;
    }
    const before = isAppended ? (array.get(index) ?? "") : "";
    array.set(index, valueFor(state, variable, { before, text, isAppended }));
    next = index + 1;
  }
  return wrong;
}
