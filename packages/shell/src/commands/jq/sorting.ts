import { PAUSE } from "./filter.ts";
import type { JqMachine } from "./machine.ts";
import { compare, compareText, type Value } from "./values.ts";

type Compare<Item> = (one: Item, other: Item) => number;

/** Items for one call of the host's sort. */
const RUN = 512;

function comparison(machine: JqMachine): Compare<Value> {
  return (one, other) => {
    machine.work(0.02);
    return compare(one, other, machine);
  };
}

/** Sorts a few values. */
export function sortValues(values: readonly Value[], machine: JqMachine): Value[] {
  return values.toSorted(comparison(machine));
}

interface Keyed {
  readonly key: Value;
  readonly value: Value;
}

/** Sorts values by their keys, with pauses. */
export function* sortByKeys(
  items: readonly Keyed[],
  machine: JqMachine,
): Generator<typeof PAUSE, readonly Keyed[], undefined> {
  const order = comparison(machine);
  const byKey: Compare<Keyed> = (one, other) => order(one.key, other.key);
  const quick = quickComparison(items);
  return yield* mergeSorted(items, quick ?? byKey, machine);
}

/** The comparison for keys that are all numbers or all texts. */
function quickComparison(items: readonly Keyed[]): Compare<Keyed> | undefined {
  if (items.every(({ key }) => typeof key === "number" && !Number.isNaN(key)))
    return ({ key: one }, { key: other }) => Number(one) - Number(other);
  if (items.every(({ key }) => typeof key === "string"))
    return ({ key: one }, { key: other }) => compareText(one as string, other as string);
  return undefined;
}

function* mergeSorted<Item>(
  items: readonly Item[],
  order: Compare<Item>,
  machine: JqMachine,
): Generator<typeof PAUSE, readonly Item[], undefined> {
  let runs: Item[][] = [];
  for (let from = 0; from < items.length; from += RUN) {
    const run = items.slice(from, from + RUN).sort(order);
    runs.push(run);
    if (machine.tick(run.length / 16)) yield PAUSE;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [one = [], other] = [runs[at], runs[at + 1]];
      merged.push(other ? yield* merge(one, other, order, machine) : one);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<Item>(
  one: readonly Item[],
  other: readonly Item[],
  order: Compare<Item>,
  machine: JqMachine,
): Generator<typeof PAUSE, Item[], undefined> {
  const merged: Item[] = [];
  let [at, otherAt] = [0, 0];
  while (at < one.length && otherAt < other.length) {
    if (machine.tick(0.02)) yield PAUSE;
    const [item, otherItem] = [one[at] as Item, other[otherAt] as Item];
    const isFirst = order(item, otherItem) <= 0;
    merged.push(isFirst ? item : otherItem);
    if (isFirst) at++;
    else otherAt++;
  }
  return [...merged, ...one.slice(at), ...other.slice(otherAt)];
}

/** Sorted values in groups of equal keys. */
export function groupsOf(sorted: readonly Keyed[], machine: JqMachine): Keyed[][] {
  const groups: Keyed[][] = [];
  for (const item of sorted) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    machine.work(0.02);
    if (group && first && compare(first.key, item.key, machine) === 0) group.push(item);
    else groups.push([item]);
  }
  return groups;
}
