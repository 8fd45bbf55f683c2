import { evaluateArithmetic } from "../arithmetic/evaluate.ts";
import { expandText, expandValue, expandWords } from "../expand/words.ts";
import {
  arithmeticVariables,
  assignVariable,
  ExpansionError,
  indexOf,
  resolveName,
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
  if (variable?.attributes.has("readonly")) throw new ExpansionError(`${name}: readonly variable`);
  const isMap = variable?.value instanceof Map;
  const entries = await entriesOf(process, elements, isMap);
  for (const { key = "", text } of entries) state.variables.charge(key.length + text.length);
  const former = variable?.value instanceof Map ? variable.value : new Map<string, string>();
  if (!isAppended) state.variables.set(name, isMap ? new Map() : new IndexedArray());
  const wrong = isMap
    ? assignPairs(state.variables.map(name), entries, former)
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
      const texts = isMap ? [await expandText(value, host)] : await expandWords([value], host);
      for (const text of texts) entries.push({ key: undefined, text, isAppended: false });
    }
  }
  return entries;
}

/** @returns the entries that have no place */
function assignPairs(
  map: Map<string, string>,
  entries: readonly Entry[],
  former: ReadonlyMap<string, string>,
): Entry[] {
  const wrong: Entry[] = [];
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at];
    if (!entry) continue;
    if ((entry.key ?? entry.text) === "") {
      wrong.push(entry);
      if (entry.key === undefined) at++;
    } else if (entry.key === undefined) map.set(entry.text, entries[++at]?.text ?? "");
    else map.set(entry.key, (entry.isAppended ? (former.get(entry.key) ?? "") : "") + entry.text);
  }
  return wrong;
}

/** @returns the entries that have no place */
function assignIndexes(process: Process, name: string, entries: readonly Entry[]): Entry[] {
  const wrong: Entry[] = [];
  const { state } = process;
  const array = state.variables.array(name);
  const attributes = state.variables.get(name)?.attributes;
  let next = array.end;
  for (const entry of entries) {
    const { key, text, isAppended } = entry;
    const index = key === undefined ? next : indexOf(state, key, array);
    if (index < 0) {
      wrong.push(entry);
      continue;
    }
    next = index;
    const before = isAppended ? (array.get(next) ?? "") : "";
    const value = attributes?.has("integer")
      ? String(evaluateArithmetic(text, arithmeticVariables(state)))
      : before + text;
    array.set(next++, attributes?.has("lowercase") ? value.toLowerCase() : value);
  }
  return wrong;
}
