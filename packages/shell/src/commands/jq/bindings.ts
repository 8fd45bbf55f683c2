import { finished } from "./constructs.ts";
import { valueError } from "./errors.ts";
import type { Compiler } from "./compiler.ts";
import {
  bound,
  type Env,
  type Filter,
  type In,
  many,
  oneByOne,
  PAUSE,
  plain,
  Tracked,
} from "./filter.ts";
import { inPlace } from "./in-place.ts";
import { itemAt, type Owned } from "./items.ts";
import { JqError } from "./machine.ts";
import type { NameScope } from "./scope.ts";
import type { NodeOf, Pattern } from "./syntax/tree.ts";
import { isArray, isObject, type Value } from "./values.ts";

/** The environments that a value gives its patterns, and the body's scope. */
interface Binding {
  readonly scope: NameScope;
  /** The environment of a pattern that is a variable. */
  readonly one: ((value: Value, env: Env) => Env) | undefined;
  /** The environments of the pattern at an index. */
  readonly bind: (
    index: number,
    value: Value,
    env: Env,
  ) => Generator<{ env: Env } | typeof PAUSE, undefined, undefined>;
}

function bindingOf(patterns: readonly Pattern[], scope: NameScope, compiler: Compiler): Binding {
  const names = [...new Set(patterns.flatMap(namesOf))];
  const inner = names.reduce((outer, name) => outer.withFrame("variable", name), scope);
  const frames = (values: ReadonlyMap<string, Value>, env: Env): Env =>
    names.reduce<Env>((outer, name) => bound(outer, values.get(name) ?? null), env);
  const compiled = patterns.map((pattern) => compilePattern(pattern, inner, compiler));
  const isPlain = patterns.length === 1 && patterns[0]?.type === "variable";
  return {
    scope: inner,
    one: isPlain ? (value, env) => bound(env, value) : undefined,
    *bind(index, value, env) {
      const match = compiled[index];
      if (!match) return undefined;
      for (const values of match(value, new Map(), (known) => frames(known, env))) {
        yield values === PAUSE ? PAUSE : { env: frames(values, env) };
      }
      return undefined;
    },
  };
}

function namesOf(pattern: Pattern): string[] {
  switch (pattern.type) {
    case "variable":
      return [pattern.name];
    case "array":
      return pattern.items.flatMap(namesOf);
    case "object":
      return pattern.entries.flatMap(({ name, pattern: inner }) => [
        ...(name === undefined ? [] : [name]),
        ...(inner ? namesOf(inner) : []),
      ]);
  }
}

type Known = ReadonlyMap<string, Value>;

type Match = (
  value: Value,
  known: Known,
  frames: (known: Known) => Env,
) => Generator<Known | typeof PAUSE, undefined, undefined>;

function compilePattern(pattern: Pattern, scope: NameScope, compiler: Compiler): Match {
  const { machine } = compiler;
  if (pattern.type === "variable") {
    return function* (value, known) {
      yield new Map(known).set(pattern.name, value);
      return undefined;
    };
  }
  if (pattern.type === "array") {
    return sequence(
      pattern.items.map((item, at) => {
        const match = compilePattern(item, scope, compiler);
        return function* (value, known, frames) {
          if (value !== null && !isArray(value)) itemAt(value, at, machine);
          return yield* match(itemAt(value, at, machine), known, frames);
        };
      }),
    );
  }
  return sequence(
    pattern.entries.map(({ key, name, pattern: inner }) => {
      const keys = compiler.compile(key, scope);
      const match = inner && compilePattern(inner, scope, compiler);
      return function* (value, known, frames) {
        for (const result of keys.run(value, frames(known))) {
          if (result === PAUSE) {
            yield PAUSE;
            continue;
          }
          const field = plain(result);
          if (typeof field !== "string" && (value === null || isObject(value)))
            throw valueError("cannot be used as object key", field);
          const item = itemAt(value, field, machine);
          const next = name === undefined ? known : new Map(known).set(name, item);
          if (match) yield* match(item, next, frames);
          else yield next;
        }
        return undefined;
      };
    }),
  );
}

function sequence(matches: readonly Match[]): Match {
  const from = function* (
    at: number,
    value: Value,
    known: Known,
    frames: (known: Known) => Env,
  ): ReturnType<Match> {
    const match = matches[at];
    if (!match) {
      yield known;
      return undefined;
    }
    for (const next of match(value, known, frames)) {
      if (next === PAUSE) yield PAUSE;
      else yield* from(at + 1, value, next, frames);
    }
    return undefined;
  };
  return (value, known, frames) => from(0, value, known, frames);
}

/** Runs a body with a value bound; of several patterns the first one without an error. */
function* withBinding(
  { bind }: Binding,
  count: number,
  { value, env }: { value: Value; env: Env },
  run: (env: Env) => ReturnType<Filter["run"]>,
): ReturnType<Filter["run"]> {
  for (let index = 0; index < count; index++) {
    try {
      for (const next of bind(index, value, env)) {
        if (next === PAUSE) yield PAUSE;
        else yield* finished(run(next.env));
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof JqError) || index === count - 1) throw error;
    }
  }
  return undefined;
}

export function compileBinding(
  node: NodeOf<"bind">,
  scope: NameScope,
  compiler: Compiler,
  isTail: boolean,
): Filter {
  const source = compiler.compile(node.source, scope);
  const binding = bindingOf(node.patterns, scope, compiler);
  const body = compiler.compile(node.body, binding.scope, isTail && binding.one !== undefined);
  const { one: sourceOne } = source;
  const { one: bindOne } = binding;
  const { one: bodyOne } = body;
  if (sourceOne && bindOne) {
    const bindSource = (input: In, env: Env): Env =>
      bindOne(plain(sourceOne(plain(input), env)), env);
    return bodyOne
      ? oneByOne((input, env) => bodyOne(input, bindSource(input, env)))
      : many((input, env) => body.run(input, bindSource(input, env)));
  }
  return many(function* (input, env) {
    for (const result of source.run(plain(input), env)) {
      if (result === PAUSE) yield PAUSE;
      else if (bindOne) yield* finished(body.run(input, bindOne(plain(result), env)));
      else {
        const value = plain(result);
        const { length } = node.patterns;
        yield* withBinding(binding, length, { value, env }, (inner) => body.run(input, inner));
      }
    }
    return undefined;
  });
}

interface Loop {
  readonly start: Filter;
  readonly update: Filter;
  /** The environments of the items. */
  readonly envs: (
    input: In,
    env: Env,
    step: (env: Env) => ReturnType<Filter["run"]>,
  ) => ReturnType<Filter["run"]>;
  readonly scope: NameScope;
}

function compileLoop(
  node: NodeOf<"reduce"> | NodeOf<"foreach">,
  scope: NameScope,
  compiler: Compiler,
): Loop {
  const source = compiler.compile(node.source, scope);
  const binding = bindingOf(node.patterns, scope, compiler);
  const { one } = binding;
  return {
    scope: binding.scope,
    start: compiler.compile(node.start, scope),
    update: compiler.compile(node.update, binding.scope),
    *envs(input, env, step) {
      for (const result of source.run(plain(input), env)) {
        if (result === PAUSE) yield PAUSE;
        else if (one) yield* step(one(plain(result), env));
        else {
          const value = plain(result);
          yield* withBinding(binding, node.patterns.length, { value, env }, step);
        }
      }
      return undefined;
    },
  };
}

export function compileReduce(
  node: NodeOf<"reduce">,
  scope: NameScope,
  compiler: Compiler,
): Filter {
  const { start, update, envs, scope: loopScope } = compileLoop(node, scope, compiler);
  const { one } = update;
  const change = node.patterns.length === 1 && inPlace(node.update, loopScope, compiler);
  return many(function* (input, env) {
    for (const first of start.run(input, env)) {
      if (first === PAUSE) {
        yield PAUSE;
        continue;
      }
      let state: In = first;
      const owned: Owned = new Set();
      yield* envs(input, env, function* (inner) {
        if (change && !(state instanceof Tracked)) {
          state = change(state, inner, owned);
          return undefined;
        }
        if (one) {
          state = one(state, inner);
          return undefined;
        }
        let next: In = state instanceof Tracked ? new Tracked(null) : null;
        for (const value of update.run(state, inner)) {
          if (value === PAUSE) yield PAUSE;
          else next = value;
        }
        state = next;
        return undefined;
      });
      yield state;
    }
    return undefined;
  });
}

export function compileForeach(
  node: NodeOf<"foreach">,
  scope: NameScope,
  compiler: Compiler,
): Filter {
  const loop = compileLoop(node, scope, compiler);
  const { start, update, envs } = loop;
  const extract = node.extract && compiler.compile(node.extract, loop.scope);
  return many(function* (input, env) {
    for (const first of start.run(input, env)) {
      if (first === PAUSE) {
        yield PAUSE;
        continue;
      }
      let state: In = first;
      yield* envs(input, env, function* (inner) {
        for (const value of update.run(state, inner)) {
          if (value === PAUSE) {
            yield PAUSE;
            continue;
          }
          state = value;
          if (extract) yield* extract.run(value, inner);
          else yield value;
        }
        return undefined;
      });
    }
    return undefined;
  });
}
