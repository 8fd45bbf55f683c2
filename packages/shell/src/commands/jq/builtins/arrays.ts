import { items } from "../access.ts";
import { described, valueError } from "../errors.ts";
import { computed, PAUSE, plain, type Results } from "../filter.ts";
import { hasKey, itemAt, positionsOf } from "../items.ts";
import { JqError, type JqMachine } from "../machine.ts";
import { operations } from "../operators.ts";
import { groupsOf, sortByKeys } from "../sorting.ts";
import {
  compare,
  hasSlot,
  isArray,
  isObject,
  isTrue,
  keyOf,
  objectOf,
  slotOf,
  slotsOf,
  sortedKeys,
  type OpenObject,
  type Value,
  valueAt,
} from "../values.ts";
import { containment } from "./containment.ts";
import type { NativeCall, NativeFilters, NativeValues } from "./native.ts";
import { textForm } from "./strings.ts";
import { greatest } from "../../../greatest.ts";

function keysOf(value: Value, isSorted: boolean): Value[] {
  if (isArray(value)) return value.map((_, at) => at);
  if (!isObject(value)) throw valueError("has no keys", value);
  return isSorted ? sortedKeys(value) : slotsOf(value).map(keyOf);
}

function extreme(input: Value, wanted: number, machine: JqMachine): Value {
  if (!isArray(input)) throw valueError("cannot be iterated over", input, input);
  let best: Value | undefined;
  for (const item of input) {
    machine.work(0.02);
    const order = best === undefined ? 0 : compare(item, best, machine);
    if (best === undefined || (wanted < 0 ? order < 0 : order >= 0)) best = item;
  }
  return best ?? null;
}

function indices(machine: JqMachine, input: Value, part: Value): Value {
  if (typeof input === "string" && typeof part === "string")
    return textIndices(input, part, machine);
  if (isArray(input)) return positionsOf(input, isArray(part) ? part : [part], machine);
  return itemAt(input, part, machine);
}

/** Positions in characters. */
function textIndices(text: string, part: string, machine: JqMachine): Value {
  if (part === "") return null;
  const positions: number[] = [];
  let [characters, counted] = [0, 0];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    machine.work(0.1);
    for (; counted < at; counted++) {
      const unit = text.charCodeAt(counted);
      if (unit < 0xdc00 || unit >= 0xe000) characters++;
    }
    positions.push(characters);
  }
  return positions;
}

function fromEntries(input: Value, machine: JqMachine): Value {
  if (!isArray(input) && !isObject(input))
    throw new JqError(`Cannot iterate over ${described(input)}`);
  const object: OpenObject = {};
  for (const entry of isArray(input) ? input : slotsOf(input).map((slot) => valueAt(input, slot))) {
    machine.work(0.1);
    const field = (name: string): Value => itemAt(entry, name, machine);
    const names = ["key", "k", "name", "Name", "Key", "K"];
    const known = names.map(field);
    const key = known.find((each) => isTrue(each)) ?? known.find((each) => each !== null) ?? null;
    if (typeof key === "object") throw new JqError(`Cannot use ${described(key)} as object key`);
    const holder = ["value", "v", "Value", "V"].find(
      (name) => isObject(entry) && hasSlot(entry, slotOf(name)),
    );
    object[slotOf(textForm(key, machine))] = holder === undefined ? null : field(holder);
  }
  return object;
}

export const arrayValues: NativeValues = {
  "keys/0": (_, input) => keysOf(input, true),
  "keys_unsorted/0": (_, input) => keysOf(input, false),
  "has/1": (_, input, key = null) => hasKey(input, key),
  "min/0": (machine, input) => extreme(input, -1, machine),
  "max/0": (machine, input) => extreme(input, 1, machine),
  "indices/1": (machine, input, part = null) => indices(machine, input, part),
  "from_entries/0": (machine, input) => fromEntries(input, machine),
  "to_entries/0": (machine, input) =>
    keysOf(input, false).map((key) =>
      objectOf([
        ["key", key],
        ["value", itemAt(input, key, machine)],
      ]),
    ),
  "reverse/0"(machine, input) {
    if (input === null || (isObject(input) && slotsOf(input).length === 0)) return [];
    if (typeof input === "string") return Array.from(input).reverse().join("");
    return isArray(input) ? input.toReversed() : itemAt(input, 0, machine);
  },
  "toarray/0": (_, input) => (isArray(input) ? input : [input]),
  "transpose/0"(machine, input) {
    if (!isArray(input)) throw new JqError(`Cannot iterate over ${described(input)}`);
    const rows = input.map((row) => {
      if (row !== null && !isArray(row)) itemAt(row, 0, machine);
      return isArray(row) ? row : [];
    });
    const width = greatest(rows.map(({ length }) => length));
    machine.elements(width * rows.length);
    return Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? null));
  },
  "bsearch/1"(machine, input, target = null) {
    if (!isArray(input)) throw valueError("cannot be searched from", input);
    let [low, high] = [0, input.length - 1];
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      const order = compare(input[middle] ?? null, target, machine);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1 - low;
  },
};

/** Each item with the values of a filter for it as its key. */
function* keyed(
  { args: [by], env, machine }: NativeCall,
  input: readonly Value[],
): Generator<typeof PAUSE, { key: Value; value: Value }[], undefined> {
  const result: { keys: Value[]; value: Value }[] = [];
  for (const value of input) {
    if (machine.tick(0.25)) yield PAUSE;
    const keys: Value[] = by ? [] : [value];
    for (const part of by?.run(value, env) ?? []) {
      if (part === PAUSE) yield PAUSE;
      else keys.push(plain(part));
    }
    result.push({ keys, value });
  }
  // Comparing keys is quicker without an array around each.
  const isSingle = result.every(({ keys }) => keys.length === 1);
  return result.map(({ keys, value }) => ({ key: isSingle ? (keys[0] ?? null) : keys, value }));
}

type Finish = (sorted: readonly { key: Value; value: Value }[], machine: JqMachine) => Value;

function sorted(finish: Finish, isIterating = true) {
  return function* (call: NativeCall): Results {
    const value = plain(call.input);
    if (!isArray(value)) {
      if (isIterating) throw new JqError(`Cannot iterate over ${described(value)}`);
      throw valueError("cannot be sorted, as it is not an array", value);
    }
    const items = yield* keyed(call, value);
    const inOrder = yield* sortByKeys(items, call.machine);
    yield computed(call.input, finish(inOrder, call.machine));
    return undefined;
  };
}

const values: Finish = (items) => items.map(({ value }) => value);
const groups: Finish = (items, machine) =>
  groupsOf(items, machine).map((group) => group.map(({ value }) => value));
const firsts: Finish = (items, machine) =>
  groupsOf(items, machine).map(([first]) => first?.value ?? null);

function extremeBy(wanted: number) {
  return function* (call: NativeCall): Results {
    const { input, machine } = call;
    const value = plain(input);
    if (!isArray(value)) throw new JqError(`Cannot iterate over ${described(value)}`);
    let best: { key: Value; value: Value } | undefined;
    for (const item of yield* keyed(call, value)) {
      if (machine.tick(0.02)) yield PAUSE;
      const order = best ? compare(item.key, best.key, machine) : 0;
      if (!best || (wanted < 0 ? order < 0 : order >= 0)) best = item;
    }
    yield computed(input, best?.value ?? null);
    return undefined;
  };
}

function* flat(
  value: readonly Value[],
  depth: number,
  machine: JqMachine,
): Generator<Value | typeof PAUSE> {
  for (const item of value) {
    if (machine.tick(0.1)) yield PAUSE;
    if (isArray(item) && depth > 0) yield* flat(item, depth - 1, machine);
    else yield item;
  }
}

/** Ends with the first result of a condition that decides. */
function decided(wanted: boolean) {
  return function* ({ input, args: [source, condition], env, machine }: NativeCall): Results {
    const value = plain(input);
    for (const item of source?.run(value, env) ?? []) {
      if (item === PAUSE) {
        yield PAUSE;
        continue;
      }
      if (machine.tick(0.1)) yield PAUSE;
      for (const result of condition?.run(plain(item), env) ?? []) {
        if (result === PAUSE) yield PAUSE;
        else if (isTrue(plain(result)) === wanted) {
          yield computed(input, wanted);
          return undefined;
        }
      }
    }
    yield computed(input, !wanted);
    return undefined;
  };
}

export const arrayFilters: NativeFilters = {
  "any/2": decided(true),
  "all/2": decided(false),
  *"add/0"({ input, machine }) {
    let sum: Value = null;
    const texts: string[] = [];
    let length = 0;
    for (const item of items(plain(input), machine)) {
      if (item === PAUSE) yield PAUSE;
      else {
        const next = plain(item);
        // Texts are joined at once, and arrays are added to one of its own.
        if (typeof next === "string" && (sum === null || typeof sum === "string") && length >= 0) {
          texts.push(next);
          machine.length((length += next.length));
          sum ??= "";
        } else if (isArray(next) && isArray(sum)) {
          machine.elements(sum.length + next.length);
          for (const each of next) (sum as Value[]).push(each);
        } else {
          const before: Value = texts.length > 0 ? texts.splice(0).join("") : sum;
          sum = operations["+"](before, next, machine);
          if (isArray(sum)) sum = [...sum];
        }
      }
    }
    yield computed(input, texts.length > 0 ? texts.join("") : sum);
    return undefined;
  },
  *"map/1"({ input, args: [each], env, machine }) {
    const result: Value[] = [];
    const one = each?.one;
    for (const item of items(plain(input), machine)) {
      if (item === PAUSE) yield PAUSE;
      else if (one) result.push(plain(one(item, env)));
      else {
        for (const value of each?.run(item, env) ?? []) {
          if (value === PAUSE) yield PAUSE;
          else result.push(plain(value));
        }
      }
    }
    machine.elements(result.length);
    yield computed(input, result);
    return undefined;
  },
  *"flatten/1"({ input, args: [depths], env, machine }) {
    const value = plain(input);
    for (const depth of depths?.run(value, env) ?? []) {
      if (depth === PAUSE) {
        yield PAUSE;
        continue;
      }
      const most = plain(depth);
      if (typeof most === "number" && most < 0)
        throw new JqError("flatten depth must not be negative");
      if (!isArray(value) && !isObject(value))
        throw new JqError(`Cannot iterate over ${described(value)}`);
      const list = isArray(value) ? value : slotsOf(value).map((slot) => valueAt(value, slot));
      const result: Value[] = [];
      for (const item of flat(list, Number(most), machine)) {
        if (item === PAUSE) yield PAUSE;
        else result.push(item);
      }
      yield computed(input, result);
    }
    return undefined;
  },
  *"contains/1"({ input, args: [parts], env, machine }) {
    const value = plain(input);
    for (const part of parts?.run(value, env) ?? []) {
      if (part === PAUSE) yield PAUSE;
      else yield computed(input, yield* containment(value, plain(part), machine));
    }
    return undefined;
  },
  "sort/0": sorted(values, false),
  "sort_by/1": sorted(values),
  "group_by/1": sorted(groups),
  "unique/0": sorted(firsts),
  "unique_by/1": sorted(firsts),
  "min_by/1": extremeBy(-1),
  "max_by/1": extremeBy(1),
};
