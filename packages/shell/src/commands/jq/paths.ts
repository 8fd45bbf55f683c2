import { compare, isArray, kindOf, type Value } from "./values.ts";
import { excerpt } from "./errors.ts";
import { type In, Tracked } from "./filter.ts";
import { itemAt, withItem, withoutItems } from "./items.ts";
import { JqError, type JqMachine } from "./machine.ts";
import { sortValues } from "./sorting.ts";

/** The path that leads to a result. @throws {JqError} when none does */
export function pathOf(place: In): Value[] {
  if (place instanceof Tracked && !place.isLost) return place.path();
  const value = place instanceof Tracked ? place.value : place;
  throw new JqError(`Invalid path expression with result ${excerpt(value, 29)}`);
}

/** A value without those at some paths. */
export function deletePaths(value: Value, paths: readonly Value[], machine: JqMachine): Value {
  const ordered = sortValues(paths, machine);
  let result = value;
  // The last ones first, since what comes after a deleted item moves.
  for (let at = ordered.length - 1; at >= 0;) {
    const path = ordered[at] ?? null;
    if (!isArray(path)) throw new JqError(`Path must be specified as array, not ${kindOf(path)}`);
    if (path.length === 0) return null;
    const parent = path.slice(0, -1);
    const keys: Value[] = [];
    // Items of the same parent are deleted at once.
    for (; at >= 0; at--) {
      const other = ordered[at] ?? null;
      if (!isArray(other) || other.length !== path.length) break;
      if (compare(other.slice(0, -1), parent, machine) !== 0) break;
      keys.push(other.at(-1) ?? null);
    }
    result = deleteAt(result, parent, keys, machine);
  }
  return result;
}

function deleteAt(
  value: Value,
  parent: readonly Value[],
  keys: readonly Value[],
  machine: JqMachine,
): Value {
  if (value === null) return null;
  const [first, ...others] = parent;
  if (first === undefined) return withoutItems(value, keys);
  const inner = itemAt(value, first, machine);
  if (inner === null) return value;
  const owned = new Set<Value>();
  return withItem(value, first, deleteAt(inner, others, keys, machine), { owned, machine });
}
