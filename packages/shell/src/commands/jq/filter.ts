import type { Value } from "./values.ts";

/** Mark that a filter yields when others should have their turn, or an input has to be read, before it goes on. */
export const PAUSE: unique symbol = Symbol("pause");

/** A value with the path that led to it, while a program asks for paths. */
export class Tracked {
  readonly value: Value;
  /** `undefined` at the root. */
  readonly parent: Tracked | undefined;
  readonly key: Value;
  /** True for a computed value, so that no path leads to it. */
  readonly isLost: boolean;

  constructor(value: Value, parent?: Tracked, key: Value = null, isLost = false) {
    this.value = value;
    this.parent = parent;
    this.key = key;
    this.isLost = isLost;
  }

  /** A computed value: a path only leads to it if it is what was there before. */
  computed(value: Value): Tracked {
    if (value === this.value && typeof value !== "string") return this;
    return new Tracked(value, this, null, true);
  }

  path(): Value[] {
    const path: Value[] = [];
    const climb = (place: Tracked): Tracked | undefined => {
      if (place.parent) path.push(place.key);
      return place.parent;
    };
    for (let at = climb(this); at; at = climb(at));
    return path.reverse();
  }
}

export type In = Value | Tracked;

/** A call in tail position, which its caller makes when it is back. */
export interface TailCall {
  readonly body: Filter;
  readonly input: In;
  readonly env: Env;
}

export type Results = Generator<In | typeof PAUSE, TailCall | undefined, undefined>;

/** A compiled filter. */
export interface Filter {
  /** The result of a filter that always has exactly one, and soon. */
  readonly one?: ((input: In, env: Env) => In) | undefined;
  readonly run: (input: In, env: Env) => Results;
}

/** Values of variables, arguments and labels, the newest first. */
export interface Frame {
  readonly value: Value;
  readonly closure?: Closure;
  readonly parent: Env;
}

export type Env = Frame | undefined;

export interface Closure {
  readonly filter: Filter;
  readonly env: Env;
}

export function bound(env: Env, value: Value): Frame {
  return { value, parent: env };
}

/** The frame that lies `distance` below the newest one. */
export function frameAt(env: Env, distance: number): Env {
  let frame = env;
  for (let left = distance; left > 0; left--) frame = frame?.parent;
  return frame;
}

export function plain(input: In): Value {
  return input instanceof Tracked ? input.value : input;
}

export function computed(input: In, value: Value): In {
  return input instanceof Tracked ? input.computed(value) : value;
}

/** A filter that computes one value. */
export function single(compute: (value: Value, env: Env) => Value): Filter {
  return oneByOne((input, env) =>
    input instanceof Tracked ? input.computed(compute(input.value, env)) : compute(input, env),
  );
}

/** A filter with one result, which may have a path. */
export function oneByOne(one: NonNullable<Filter["one"]>): Filter {
  return {
    one,
    *run(input, env) {
      yield one(input, env);
      return undefined;
    },
  };
}

/** A filter of any number of results. */
export function many(run: Filter["run"]): Filter {
  return { run };
}
