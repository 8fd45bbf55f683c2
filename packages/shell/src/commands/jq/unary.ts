import { computed, type Filter, many, PAUSE, plain, single } from "./filter.ts";
import type { Value } from "./values.ts";

/** A filter that computes a value from each result of another. */
export function compileUnary(of: Filter, compute: (value: Value) => Value): Filter {
  const { one } = of;
  if (one) return single((value, env) => compute(plain(one(value, env))));
  return many(function* (input, env) {
    for (const value of of.run(plain(input), env))
      yield value === PAUSE ? PAUSE : computed(input, compute(plain(value)));
    return undefined;
  });
}
