import { described, excerpt } from "./errors.ts";
import { type Env, type Filter, type In, many, oneByOne, PAUSE, plain, Tracked } from "./filter.ts";
import { type JqMachine, JqError } from "./machine.ts";
import { itemAt, sliceOf } from "./items.ts";
import { product } from "./product.ts";
import { isArray, isObject, keyOf, objectOf, slotsOf, type Value, valueAt } from "./values.ts";

/** The end of a label's body. */
export class BreakSignal extends Error {
  override readonly name = "BreakSignal" as const;
  readonly frame: Env;

  constructor(frame: Env) {
    super("break");
    this.frame = frame;
  }
}

/** The value under a key, with its path if that is asked for. */
export function itemOf(input: In, key: Value, machine: JqMachine): In {
  if (!(input instanceof Tracked)) return itemAt(input, key, machine);
  if (input.isLost)
    throw new JqError(
      `Invalid path expression near attempt to access element ${excerpt(key)} of ${excerpt(input.value, 29)}`,
    );
  return new Tracked(itemAt(input.value, key, machine), input, key);
}

export function indexed(of: Filter, key: Filter, machine: JqMachine): Filter {
  const { one: ofOne } = of;
  const { one: keyOne } = key;
  if (ofOne && keyOne)
    return oneByOne((input, env) =>
      itemOf(ofOne(input, env), plain(keyOne(plain(input), env)), machine),
    );
  return many(function* (input, env) {
    for (const name of key.run(plain(input), env)) {
      if (name === PAUSE) yield PAUSE;
      else if (ofOne) yield itemOf(ofOne(input, env), plain(name), machine);
      else {
        for (const value of of.run(input, env))
          yield value === PAUSE ? PAUSE : itemOf(value, plain(name), machine);
      }
    }
    return undefined;
  });
}

export function sliced(of: Filter, from: Filter | undefined, to: Filter | undefined): Filter {
  const nothing = oneByOne(() => null);
  const bounds = [from ?? nothing, to ?? nothing];
  return many(function* (input, env) {
    for (const range of product(bounds, plain(input), env)) {
      if (range === PAUSE) {
        yield PAUSE;
        continue;
      }
      const [start = null, end = null] = range;
      for (const value of of.run(input, env))
        yield value === PAUSE ? PAUSE : partOf(value, start, end);
    }
    return undefined;
  });
}

function partOf(input: In, start: Value, end: Value): In {
  const part = sliceOf(plain(input), start, end);
  if (!(input instanceof Tracked)) return part;
  const key = objectOf([
    ["start", start],
    ["end", end],
  ]);
  if (input.isLost) itemOf(input, key, undefined as never);
  return new Tracked(part, input, key);
}

export function iterated(of: Filter, machine: JqMachine): Filter {
  return many(function* (input, env) {
    const { one } = of;
    if (one) return yield* items(one(input, env), machine);
    for (const value of of.run(input, env)) {
      if (value === PAUSE) yield PAUSE;
      else yield* items(value, machine);
    }
    return undefined;
  });
}

const COST = 0.25;

/** The items of an array or object. */
export function* items(
  input: In,
  machine: JqMachine,
): Generator<In | typeof PAUSE, undefined, undefined> {
  const value = plain(input);
  const tracked = input instanceof Tracked ? input : undefined;
  if (tracked?.isLost)
    throw new JqError(
      `Invalid path expression near attempt to iterate through ${excerpt(value, 29)}`,
    );
  if (isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      if (machine.tick(COST)) yield PAUSE;
      const item = value[at] ?? null;
      yield tracked ? new Tracked(item, tracked, at) : item;
    }
  } else if (isObject(value)) {
    for (const slot of slotsOf(value)) {
      if (machine.tick(COST)) yield PAUSE;
      const item = valueAt(value, slot);
      yield tracked ? new Tracked(item, tracked, keyOf(slot)) : item;
    }
  } else throw new JqError(`Cannot iterate over ${described(value)}`);
  return undefined;
}
