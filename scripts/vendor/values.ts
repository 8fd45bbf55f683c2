/**
 * The order of jq's values, and the comparisons of many, built into just-bash by `scripts/vendor.ts`: in parts, between
 * which a program can pause and end (see `queries.ts`).
 */
import { type Budget, inPart, type Bounds } from "./queries.ts";

/** Comparisons per part, for scalar values. */
const PART_COMPARISONS = 4_096;
/** Maximum values that one part sorts or merges. */
const MAX_RUN = 512;
const MAX_BLOCK = 1_024;

function rank(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === "boolean") return value ? 2 : 1;
  if (typeof value === "number") return 3;
  if (typeof value === "string") return 4;
  return Array.isArray(value) ? 5 : 6;
}

/**
 * Compares values: negative, zero or positive; null, false, true, numbers, strings, arrays, objects. nan equals
 * nothing.
 */
export function comparedValues(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number")
    return one < other || Number.isNaN(one) ? -1 : one === other ? 0 : 1;
  if (typeof one === "string" && typeof other === "string")
    return one === other ? 0 : one < other ? -1 : 1;
  const kind = rank(one);
  const difference = kind - rank(other);
  if (difference !== 0 || kind < 5) return difference;
  if (Array.isArray(one) && Array.isArray(other)) return comparedLists(one, other);
  const [left, right] = [Object(one), Object(other)];
  const names = Object.keys(left).sort();
  const byNames = comparedLists(names, Object.keys(right).sort());
  if (byNames !== 0) return byNames;
  for (const name of names) {
    const byValue = comparedValues(left[name], right[name]);
    if (byValue !== 0) return byValue;
  }
  return 0;
}

function comparedLists(one: readonly unknown[], other: readonly unknown[]): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const difference = comparedValues(one[at], other[at]);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

export function sameValues(one: unknown, other: unknown): boolean {
  return comparedValues(one, other) === 0;
}

/** Number of values, nested ones included, at most `most`. */
function weightOf(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let weight = 1;
  for (const child of Object.values(value)) {
    weight += weightOf(child, most - weight);
    if (weight >= most) return most;
  }
  return weight;
}

interface Keyed {
  value: unknown;
  key: unknown;
}

function compareKeys(one: Keyed, other: Keyed): number {
  return comparedValues(one.key, other.key);
}

function inOrder(
  budget: Budget,
  bounds: Bounds,
  values: readonly unknown[],
  keyOf: (value: unknown) => unknown,
): Keyed[] {
  const { all, weight } = inPart(budget, bounds, values.length, () => {
    const items = values.map((value): Keyed => ({ value, key: keyOf(value) }));
    const weights = items.map(({ key }) => weightOf(key, PART_COMPARISONS));
    return { all: items, weight: weights.reduce((most, one) => Math.max(most, one), 1) };
  });
  const length = Math.min(MAX_RUN, Math.max(2, Math.floor(PART_COMPARISONS / weight)));
  let runs: Keyed[][] = [];
  for (let at = 0; at < all.length; at += length) {
    const sort = (): Keyed[] => all.slice(at, at + length).sort(compareKeys);
    runs.push(inPart(budget, bounds, length * weight, sort));
  }
  while (runs.length > 1) {
    const merged: Keyed[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [one = [], other] = runs.slice(at, at + 2);
      merged.push(other ? mergedRuns(budget, bounds, one, other, weight) : one);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function mergedRuns(
  budget: Budget,
  bounds: Bounds,
  one: readonly Keyed[],
  other: readonly Keyed[],
  weight: number,
): Keyed[] {
  const most = Math.min(MAX_BLOCK, Math.max(1, Math.floor(PART_COMPARISONS / weight)));
  const merged: Keyed[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const [block, nextLeft, nextRight] = inPart(budget, bounds, most * weight, () => {
      const items: Keyed[] = [];
      let [i, j] = [left, right];
      for (let count = 0; count < most; count++) {
        const [a, b] = [one[i], other[j]];
        if (!a || !b) break;
        if (compareKeys(a, b) <= 0) {
          items.push(a);
          i += 1;
        } else {
          items.push(b);
          j += 1;
        }
      }
      return [items, i, j] as const;
    });
    merged.push(...block);
    [left, right] = [nextLeft, nextRight];
  }
  return merged.concat(one.slice(left), other.slice(right));
}

/** Sorts values; by `keyOf` of each, if given. */
export function sortedValues(
  budget: Budget,
  bounds: Bounds,
  values: readonly unknown[],
  keyOf: (value: unknown) => unknown = (value) => value,
): unknown[] {
  return inOrder(budget, bounds, values, keyOf).map(({ value }) => value);
}

/** Groups values with equal keys, in key order. */
export function groupedValues(
  budget: Budget,
  bounds: Bounds,
  values: readonly unknown[],
  keyOf: (value: unknown) => unknown = (value) => value,
): unknown[][] {
  const groups: unknown[][] = [];
  let last: Keyed | undefined;
  for (const item of inOrder(budget, bounds, values, keyOf)) {
    if (last && sameValues(last.key, item.key)) groups.at(-1)?.push(item.value);
    else groups.push([item.value]);
    last = item;
  }
  return groups;
}

/** Positions in `list` where the sequence `wanted` begins. */
export function positionsOf(
  budget: Budget,
  bounds: Bounds,
  list: readonly unknown[],
  wanted: readonly unknown[],
): number[] {
  const weight = weightOf(wanted, PART_COMPARISONS);
  const length = Math.max(1, Math.floor(PART_COMPARISONS / weight));
  const last = list.length - wanted.length;
  const found: number[] = [];
  for (let at = 0; at <= last; at += length) {
    const part = inPart(budget, bounds, length * weight, () => {
      const places: number[] = [];
      for (let place = at; place <= last && place < at + length; place++)
        if (wanted.every((value, index) => sameValues(list[place + index], value)))
          places.push(place);
      return places;
    });
    for (const place of part) found.push(place);
  }
  return found;
}

/** Reports whether `whole` contains `part`, as `contains` defines it. */
export function hasWithin(budget: Budget, bounds: Bounds, whole: unknown, part: unknown): boolean {
  if (typeof whole === "string" && typeof part === "string") return whole.includes(part);
  if (Array.isArray(whole) && Array.isArray(part)) {
    if (sameValues(whole, part)) return true;
    const hasOne = (wanted: unknown): boolean =>
      whole.some((value) => hasWithin(budget, bounds, value, wanted));
    if (whole.length * part.length < MAX_RUN) return part.every(hasOne);
    return part.every((wanted) => inPart(budget, bounds, whole.length, () => hasOne(wanted)));
  }
  if (rank(whole) < 6 || rank(part) < 6) return sameValues(whole, part);
  const [one, other] = [Object(whole), Object(part)];
  return Object.keys(other).every(
    (name) => Object.hasOwn(one, name) && hasWithin(budget, bounds, one[name], other[name]),
  );
}
