import { type Env, type Filter, type In, PAUSE, plain } from "./filter.ts";
import type { Value } from "./values.ts";

/** All combinations of the results of filters; those of the last one change fastest. */
export function* product(
  filters: readonly Filter[],
  input: In,
  env: Env,
  before: readonly Value[] = [],
): Generator<readonly Value[] | typeof PAUSE, undefined, undefined> {
  const [first, ...others] = filters;
  if (!first) {
    yield before;
    return undefined;
  }
  for (const value of first.run(input, env)) {
    if (value === PAUSE) yield PAUSE;
    else if (others.length === 0) yield [...before, plain(value)];
    else yield* product(others, input, env, [...before, plain(value)]);
  }
  return undefined;
}
