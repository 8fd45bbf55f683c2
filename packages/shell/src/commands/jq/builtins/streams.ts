import { withValueAt } from "../assignments.ts";
import { computed, PAUSE, plain, type Results } from "../filter.ts";
import { itemAt, type Owned } from "../items.ts";
import { JqError, type JqMachine } from "../machine.ts";
import { isArray, isObject, keyOf, slotsOf, type Value, valueAt } from "../values.ts";
import type { NativeFilters } from "./native.ts";

/** The leaves of a value with their paths, and the end of each array and object. */
export function* streamed(
  value: Value,
  machine: JqMachine,
  path: readonly Value[] = [],
): Generator<Value | typeof PAUSE, undefined, undefined> {
  if (machine.tick(0.25)) yield PAUSE;
  const keys: Value[] = isArray(value)
    ? value.map((_, at) => at)
    : isObject(value)
      ? slotsOf(value).map(keyOf)
      : [];
  const last = keys.at(-1);
  if (last === undefined) {
    yield [path, value];
    return undefined;
  }
  const children = isObject(value) ? slotsOf(value).map((slot) => valueAt(value, slot)) : value;
  for (const [at, key] of keys.entries())
    yield* streamed(isArray(children) ? (children[at] ?? null) : null, machine, [...path, key]);
  yield [[...path, last]];
  return undefined;
}

function eventOf(value: Value): { path: readonly Value[]; leaf: { value: Value } | undefined } {
  if (!isArray(value) || !isArray(value[0] ?? null)) throw new JqError("Invalid streaming format");
  const [path, leaf] = value;
  return {
    path: isArray(path ?? null) ? (path as readonly Value[]) : [],
    leaf: value.length > 1 ? { value: leaf ?? null } : undefined,
  };
}

export const streamFilters: NativeFilters = {
  *"tostream/0"({ input, machine }) {
    for (const event of streamed(plain(input), machine))
      yield event === PAUSE ? PAUSE : computed(input, event);
    return undefined;
  },
  *"fromstream/1"({ input, args: [events], env, machine }): Results {
    let value: Value = null;
    let owned: Owned = new Set();
    for (const event of events?.run(plain(input), env) ?? []) {
      if (event === PAUSE) {
        yield PAUSE;
        continue;
      }
      const { path, leaf } = eventOf(plain(event));
      if (leaf && path.length === 0) yield computed(input, leaf.value);
      else if (leaf) value = withValueAt(value, path, leaf.value, { owned, machine });
      else if (path.length === 1) {
        yield computed(input, value);
        value = null;
        owned = new Set();
      }
    }
    return undefined;
  },
  *"truncate_stream/1"({ input, args: [events], env, machine }) {
    const depth = plain(input);
    if (typeof depth !== "number") throw new JqError("truncate_stream depth must be a number");
    for (const event of events?.run(null, env) ?? []) {
      if (event === PAUSE) {
        yield PAUSE;
        continue;
      }
      const value = plain(event);
      const path = itemAt(value, 0, machine);
      if (isArray(path) && isArray(value) && path.length > depth)
        yield computed(input, [path.slice(depth), ...value.slice(1)]);
    }
    return undefined;
  },
};
