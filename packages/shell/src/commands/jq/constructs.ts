import { described } from "./errors.ts";
import { BreakSignal } from "./access.ts";
import {
  bound,
  computed,
  type Env,
  type Filter,
  type In,
  many,
  oneByOne,
  PAUSE,
  plain,
  type Results,
  single,
} from "./filter.ts";
import { JqError, type JqMachine } from "./machine.ts";
import { product } from "./product.ts";
import { isTrue, type OpenObject, slotOf, type Value } from "./values.ts";

export function compilePipe(left: Filter, right: Filter): Filter {
  const { one } = left;
  const { one: rightOne } = right;
  if (one && rightOne) return oneByOne((input, env) => rightOne(one(input, env), env));
  // Without a generator of its own, so that a call at its end costs no stack.
  if (one) return many((input, env) => right.run(one(input, env), env));
  return many(function* (input, env) {
    for (const value of left.run(input, env)) {
      if (value === PAUSE) yield PAUSE;
      else if (rightOne) yield rightOne(value, env);
      else yield* finished(right.run(value, env));
    }
    return undefined;
  });
}

/** The results of a filter, with the call that it left to its caller. */
export function* finished(results: Results): Results {
  let call = yield* results;
  while (call) call = yield* call.body.run(call.input, call.env);
  return undefined;
}

export function compileComma(left: Filter, right: Filter): Filter {
  return many(function* (input, env) {
    yield* left.run(input, env);
    return yield* right.run(input, env);
  });
}

export function compileLogic(operator: "and" | "or", left: Filter, right: Filter): Filter {
  const decides = (value: Value): boolean => isTrue(value) === (operator === "or");
  const { one } = left;
  const { one: rightOne } = right;
  if (one && rightOne)
    return single((value, env) =>
      decides(plain(one(value, env))) ? operator === "or" : isTrue(plain(rightOne(value, env))),
    );
  return many(function* (input, env) {
    for (const value of left.run(plain(input), env)) {
      if (value === PAUSE) yield PAUSE;
      else if (decides(plain(value))) yield computed(input, operator === "or");
      else {
        for (const other of right.run(plain(input), env))
          yield other === PAUSE ? PAUSE : computed(input, isTrue(plain(other)));
      }
    }
    return undefined;
  });
}

export function compileAlternative(left: Filter, right: Filter): Filter {
  return many(function* (input, env) {
    let hasAny = false;
    for (const value of left.run(input, env)) {
      if (value === PAUSE) yield PAUSE;
      else if (isTrue(plain(value))) {
        hasAny = true;
        yield value;
      }
    }
    return hasAny ? undefined : yield* right.run(input, env);
  });
}

export function compileIf(condition: Filter, then: Filter, otherwise: Filter | undefined): Filter {
  const other = otherwise ?? oneByOne((input) => input);
  const { one } = condition;
  const { one: thenOne } = then;
  const { one: otherOne } = other;
  const isMet = (input: In, env: Env): boolean =>
    one !== undefined && isTrue(plain(one(plain(input), env)));
  if (one && thenOne && otherOne)
    return oneByOne((input, env) => (isMet(input, env) ? thenOne : otherOne)(input, env));
  if (one) return many((input, env) => (isMet(input, env) ? then : other).run(input, env));
  return many(function* (input, env) {
    for (const value of condition.run(plain(input), env)) {
      if (value === PAUSE) yield PAUSE;
      else yield* finished((isTrue(plain(value)) ? then : other).run(input, env));
    }
    return undefined;
  });
}

export function compileTry(body: Filter, handler: Filter | undefined): Filter {
  return many(function* (input, env) {
    let caught: Value;
    try {
      yield* body.run(input, env);
      return undefined;
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      caught = error.value;
    }
    if (handler) yield* finished(handler.run(caught, env));
    return undefined;
  });
}

/** A body that a `break` ends. */
export function labelled(body: Filter): Filter {
  return many(function* (input, env) {
    const frame = bound(env, null);
    try {
      yield* body.run(input, frame);
    } catch (error) {
      if (!(error instanceof BreakSignal) || error.frame !== frame) throw error;
    }
    return undefined;
  });
}

export function compileArray(body: Filter | undefined, machine: JqMachine): Filter {
  if (!body) return single(() => []);
  const { one } = body;
  if (one) return single((value, env) => [plain(one(value, env))]);
  return many(function* (input, env) {
    const items: Value[] = [];
    for (const value of body.run(plain(input), env)) {
      if (value === PAUSE) yield PAUSE;
      else if (items.push(plain(value)) % 4096 === 0) machine.elements(items.length);
    }
    yield computed(input, items);
    return undefined;
  });
}

export function compileObject(entries: readonly (readonly [Filter, Filter])[]): Filter {
  const parts = entries.flat();
  const build = (values: readonly Value[]): Value => {
    const object: OpenObject = {};
    for (let at = 0; at < values.length; at += 2) {
      const key = values[at] ?? null;
      if (typeof key !== "string") throw new JqError(`Cannot use ${described(key)} as object key`);
      object[slotOf(key)] = values[at + 1] ?? null;
    }
    return object;
  };
  const ones = parts.flatMap(({ one }) => (one ? [one] : []));
  if (ones.length === parts.length)
    return single((value, env) => build(ones.map((one) => plain(one(value, env)))));
  return many(function* (input, env) {
    for (const values of product(parts, plain(input), env))
      yield values === PAUSE ? PAUSE : computed(input, build(values));
    return undefined;
  });
}

/** A string with the results of filters in it, in a format. */
export function compileString(
  parts: readonly (string | Filter)[],
  format: (value: Value) => string,
  machine: JqMachine,
): Filter {
  const filters = parts.filter((part) => typeof part !== "string");
  const join = (values: readonly Value[]): string => {
    let next = 0;
    return machine.text(
      parts
        .map((part) => (typeof part === "string" ? part : format(values[next++] ?? null)))
        .join(""),
    );
  };
  const ones = filters.flatMap(({ one }) => (one ? [one] : []));
  if (ones.length === filters.length)
    return single((value, env) => join(ones.map((one) => plain(one(value, env)))));
  return many(function* (input, env) {
    // The results of the first part change fastest.
    for (const values of product(filters.toReversed(), plain(input), env))
      yield values === PAUSE ? PAUSE : computed(input, join(values.toReversed()));
    return undefined;
  });
}
