/**
 * A JSON value. Arrays and objects are never changed once another filter has seen them, so that they can be shared.
 */
export type Value = null | boolean | number | string | readonly Value[] | JsonObject;

/**
 * A key in the form in which objects keep it: engines give integers an order of their own and `__proto__` a meaning, so
 * such keys have a mark in front.
 */
export type Slot = string & { readonly isSlot: true };

export interface JsonObject {
  readonly [slot: Slot]: Value;
}

/** An object that is being built. */
export type OpenObject = Record<Slot, Value>;

export type Kind = "null" | "boolean" | "number" | "string" | "array" | "object";

const MARK = "\0";

export function slotOf(key: string): Slot {
  const first = key.charCodeAt(0);
  const isMarked = (first >= 48 && first <= 57) || first === 0 || key === "__proto__";
  return (isMarked ? MARK + key : key) as Slot;
}

export function keyOf(slot: Slot | string): string {
  return slot.charCodeAt(0) === 0 ? slot.slice(1) : slot;
}

export function slotsOf(object: JsonObject): Slot[] {
  return Object.keys(object) as Slot[];
}

export function hasSlot(object: JsonObject, slot: Slot): boolean {
  return Object.hasOwn(object, slot);
}

export function valueAt(object: JsonObject, slot: Slot): Value {
  return Object.hasOwn(object, slot) ? (object[slot] ?? null) : null;
}

/** Keys in ascending order. */
export function sortedKeys(object: JsonObject): string[] {
  return slotsOf(object).map(keyOf).sort(compareText);
}

export function objectOf(entries: Iterable<readonly [key: string, value: Value]>): JsonObject {
  const object: OpenObject = {};
  for (const [key, value] of entries) object[slotOf(key)] = value;
  return object;
}

export function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isObject(value: Value): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTrue(value: Value): boolean {
  return value !== null && value !== false;
}

export function kindOf(value: Value): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as Kind;
}

/** Counts the values that a computation visits. @throws once it must end */
export interface Budget {
  work(count: number): void;
}

function rank(value: Value): number {
  if (value === null) return 0;
  if (value === false) return 1;
  if (value === true) return 2;
  if (typeof value === "number") return 3;
  if (typeof value === "string") return 4;
  return Array.isArray(value) ? 5 : 6;
}

const HIGH = /[\ud800-\uffff]/;

/** Order by code points; that of the host is by code units. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  if (!HIGH.test(one) || !HIGH.test(other)) return one < other ? -1 : 1;
  let at = 0;
  while (one.charCodeAt(at) === other.charCodeAt(at)) at++;
  const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)];
  const isPair = (code: number): boolean => code >= 0xd800 && code < 0xe000;
  if (isPair(left) !== isPair(right) && left >= 0xd800 && right >= 0xd800)
    return isPair(left) ? 1 : -1;
  return one < other ? -1 : 1;
}

/** The order of jq: null, false, true, numbers, strings, arrays, objects. NaN is below all numbers. */
export function compare(one: Value, other: Value, budget: Budget): number {
  if (typeof one === "number" && typeof other === "number")
    return one < other || Number.isNaN(one) ? -1 : one === other ? 0 : 1;
  if (typeof one === "string" && typeof other === "string") return compareText(one, other);
  const order = rank(one) - rank(other);
  if (order !== 0) return order < 0 ? -1 : 1;
  if (isArray(one) && isArray(other)) return compareArrays(one, other, budget);
  return isObject(one) && isObject(other) ? compareObjects(one, other, budget) : 0;
}

function compareArrays(one: readonly Value[], other: readonly Value[], budget: Budget): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    budget.work(0.1);
    const order = compare(one[at] ?? null, other[at] ?? null, budget);
    if (order !== 0) return order;
  }
  return Math.sign(one.length - other.length);
}

function compareObjects(one: JsonObject, other: JsonObject, budget: Budget): number {
  const keys = sortedKeys(one);
  budget.work(0.1 * keys.length + 0.1);
  const order = compareArrays(keys, sortedKeys(other), budget);
  if (order !== 0) return order;
  for (const key of keys) {
    const slot = slotOf(key);
    const difference = compare(valueAt(one, slot), valueAt(other, slot), budget);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function areEqual(one: Value, other: Value, budget: Budget): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  if (isArray(one)) {
    if (!isArray(other) || one.length !== other.length) return false;
    budget.work(0.1 * one.length + 0.1);
    return one.every((item, at) => areEqual(item, other[at] ?? null, budget));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const slots = slotsOf(one);
  budget.work(0.1 * slots.length + 0.1);
  return (
    slots.length === slotsOf(other).length &&
    slots.every(
      (slot) => hasSlot(other, slot) && areEqual(valueAt(one, slot), valueAt(other, slot), budget),
    )
  );
}
