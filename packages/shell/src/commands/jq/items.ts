import { JqError, type JqMachine } from "./machine.ts";
import {
  areEqual,
  hasSlot,
  isArray,
  isObject,
  type JsonObject,
  kindOf,
  type OpenObject,
  slotOf,
  type Value,
  valueAt,
} from "./values.ts";

/** The item of an array, object or null under a key; null where there is none. */
export function itemAt(value: Value, key: Value, machine: JqMachine): Value {
  if (typeof key === "string") {
    if (isObject(value)) return valueAt(value, slotOf(key));
    if (value === null) return null;
  } else if (typeof key === "number") {
    if (isArray(value)) {
      const at = Math.floor(key);
      return value[at < 0 ? at + value.length : at] ?? null;
    }
    if (value === null) return null;
  } else if (isObject(key)) {
    if (value === null || isArray(value) || typeof value === "string")
      return sliceOf(value, ...rangeOf(key));
  } else if (isArray(key) && isArray(value)) return positionsOf(value, key, machine);
  else if (key === null && value === null) return null;
  throw indexError(value, key);
}

/** Start and end that an object stands for as a key. */
function rangeOf(key: JsonObject): [start: Value, end: Value] {
  const [start, end] = [slotOf("start"), slotOf("end")];
  if (hasSlot(key, start) && hasSlot(key, end)) return [valueAt(key, start), valueAt(key, end)];
  throw new JqError("Start and end indices of an array slice must be numbers");
}

function indexError(value: Value, key: Value): JqError {
  const what = typeof key === "string" ? `string "${key}"` : kindOf(key);
  return new JqError(`Cannot index ${kindOf(value)} with ${what}`);
}

/**
 * The positions of a part within an array, by the algorithm of Knuth, Morris and Pratt: at every place anew, a long part of
 * equal items would take minutes.
 */
export function positionsOf(
  value: readonly Value[],
  part: readonly Value[],
  machine: JqMachine,
): Value {
  if (part.length === 0) return [];
  const positions: number[] = [];
  const borders = bordersOf(part, machine);
  let matched = 0;
  for (const [at, item] of value.entries()) {
    if (matched === part.length) matched = borders[matched - 1] ?? 0;
    matched = extended(matched, item, { part, borders, machine });
    if (matched === part.length) positions.push(at + 1 - matched);
  }
  return positions;
}

interface Search {
  part: readonly Value[];
  borders: readonly number[];
  machine: JqMachine;
}

/** For each beginning of a part, the length of its longest shorter one that it also ends with. */
function bordersOf(part: readonly Value[], machine: JqMachine): number[] {
  const borders = [0];
  for (const item of part.slice(1))
    borders.push(extended(borders.at(-1) ?? 0, item, { part, borders, machine }));
  return borders;
}

/** The number of items that match once another one follows. */
function extended(matched: number, item: Value, { part, borders, machine }: Search): number {
  let length = matched;
  for (;;) {
    machine.work(0.1);
    if (areEqual(item, part[length] ?? null, machine)) return length + 1;
    if (length === 0) return 0;
    length = borders[length - 1] ?? 0;
  }
}

const SURROGATE = /[\ud800-\udfff]/;

/** The characters of a text, some of which take two code units. */
export function charactersOf(text: string): readonly string[] | string {
  return SURROGATE.test(text) ? Array.from(text) : text;
}

/** Start and end of a slice, within `length`. */
function boundsOf(length: number, start: Value, end: Value, kind: string): [number, number] {
  if ((start !== null && typeof start !== "number") || (end !== null && typeof end !== "number"))
    throw new JqError(`Start and end indices of an ${kind} slice must be numbers`);
  const place = (at: number): number => Math.min(Math.max(at < 0 ? at + length : at, 0), length);
  const from = Math.floor(place(start ?? 0));
  const to = Math.ceil(place(end ?? length));
  return [from || 0, Math.max(from || 0, to || 0)];
}

export function sliceOf(value: Value, start: Value, end: Value): Value {
  if (value === null) return null;
  if (typeof value === "string") {
    const characters = charactersOf(value);
    const [from, to] = boundsOf(characters.length, start, end, "string");
    const part = characters.slice(from, to);
    return typeof part === "string" ? part : part.join("");
  }
  if (!isArray(value)) throw new JqError(`Cannot index ${kindOf(value)} with object`);
  const [from, to] = boundsOf(value.length, start, end, "array");
  return value.slice(from, to);
}

/**
 * Arrays and objects that one computation has made and nobody else has seen, so that it may change them in place.
 */
export type Owned = Set<Value>;

/** A value in which the item under a key is another. */
export function withItem(
  value: Value,
  key: Value,
  item: Value,
  { owned, machine }: { owned: Owned; machine: JqMachine },
): Value {
  if (typeof key === "string" && (value === null || isObject(value))) {
    const copy: OpenObject = value !== null && owned.has(value) ? value : { ...value };
    owned.add(copy);
    copy[slotOf(key)] = item;
    return copy;
  }
  if (typeof key === "number" && (value === null || isArray(value))) {
    if (Number.isNaN(key)) throw new JqError("Out of bounds negative array index");
    const copy = ownArray(value ?? [], owned, machine);
    const floor = Math.floor(key);
    const at = floor < 0 ? floor + copy.length : floor;
    if (at < 0) throw new JqError("Out of bounds negative array index");
    if (at > copy.length) machine.elements(at);
    while (copy.length < at) copy.push(null);
    copy[at] = item;
    return copy;
  }
  if (isObject(key) && (value === null || isArray(value))) {
    if (!isArray(item)) throw new JqError("A slice of an array can only be assigned another array");
    const [start, end] = rangeOf(key);
    const items = value ?? [];
    const [from, to] = boundsOf(items.length, start, end, "array");
    machine.elements(items.length + item.length);
    return [...items.slice(0, from), ...item, ...items.slice(to)];
  }
  if (isObject(key) || (isArray(key) && isArray(value)))
    throw new JqError(`Cannot update field at ${kindOf(key)} index of ${kindOf(value)}`);
  throw indexError(value, key);
}

/** The array itself if it may be changed, and a copy otherwise. */
function ownArray(value: readonly Value[], owned: Owned, machine: JqMachine): Value[] {
  if (owned.has(value)) return value as Value[];
  const copy = value.slice();
  machine.elements(copy.length);
  owned.add(copy);
  return copy;
}

/** A value without the items under some keys. */
export function withoutItems(value: Value, keys: readonly Value[]): Value {
  if (value === null || keys.length === 0) return value;
  if (isObject(value)) {
    const copy: Record<string, Value> = { ...value };
    for (const key of keys) {
      if (typeof key !== "string") throw deletionError(value, key);
      delete copy[slotOf(key)];
    }
    return copy as JsonObject;
  }
  if (!isArray(value)) throw new JqError(`Cannot delete fields from ${kindOf(value)}`);
  const gone = new Set<number>();
  for (const key of keys) {
    if (typeof key === "number") {
      const at = Math.floor(key);
      gone.add(at < 0 ? at + value.length : at);
    } else if (isObject(key)) {
      const [start, end] = rangeOf(key);
      const [from, to] = boundsOf(value.length, start, end, "array");
      for (let at = from; at < to; at++) gone.add(at);
    } else throw deletionError(value, key);
  }
  return value.filter((_, at) => !gone.has(at));
}

function deletionError(value: Value, key: Value): JqError {
  const part = isArray(value) ? "element" : "field";
  return new JqError(`Cannot delete ${kindOf(key)} ${part} of ${kindOf(value)}`);
}

export function hasKey(value: Value, key: Value): boolean {
  if (isObject(value) && typeof key === "string") return hasSlot(value, slotOf(key));
  if (isArray(value) && typeof key === "number") return key >= 0 && Math.floor(key) < value.length;
  throw new JqError(`Cannot check whether ${kindOf(value)} has a ${kindOf(key)} key`);
}
