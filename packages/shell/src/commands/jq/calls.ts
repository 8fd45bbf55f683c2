import { locationValue } from "./syntax/parse-term.ts";
import { libraryOf } from "./builtins/library.ts";
import { natives } from "./builtins/natives.ts";
import type { Compiler } from "./compiler.ts";
import {
  type Closure,
  type Env,
  type Filter,
  frameAt,
  type In,
  many,
  PAUSE,
  plain,
  type Results,
  single,
  computed,
} from "./filter.ts";
import type { JqMachine } from "./machine.ts";
import { product } from "./product.ts";
import { type FunctionEntry, lookUpFunction, NameScope } from "./scope.ts";
import { type Node, type NodeOf, ProgramError } from "./syntax/tree.ts";
import type { Value } from "./values.ts";

export function compileCall(
  node: NodeOf<"call">,
  scope: NameScope,
  compiler: Compiler,
  isTail: boolean,
): Filter {
  const { name, args, at } = node;
  if (name === "$__loc__") return single(() => locationValue(compiler.source, at));
  const found = lookUpFunction(scope, name, args.length);
  const key = `${name}/${args.length}`;
  if (found?.kind === "param") return compileParam(scope.depth - found.depth, isTail, compiler);
  if (found?.entry) return compileUser(found.entry, args, scope, compiler, isTail);
  const filters = (): Filter[] => args.map((arg) => compiler.compile(arg, scope));
  if (natives.matching.has(key)) compiler.used.add("expressions");
  if (Object.hasOwn(natives.values, key)) {
    return compileNative(natives.values[key] ?? (() => null), filters(), compiler.machine);
  }
  const native = Object.hasOwn(natives.filters, key) ? natives.filters[key] : undefined;
  if (native) {
    const { machine } = compiler;
    const compiled = filters();
    return many((input, env) => native({ input, args: compiled, env, machine }));
  }
  const entry = libraryEntry(key, compiler);
  if (!entry) throw new ProgramError(`${key} is not defined`, at);
  return compileUser(entry, args, scope, compiler, isTail);
}

function libraryEntry(key: string, compiler: Compiler): FunctionEntry | undefined {
  const known = compiler.library.get(key);
  if (known) return known;
  const definition = libraryOf(key);
  if (!definition) return undefined;
  const entry: FunctionEntry = { params: definition.params, depth: 0, body: undefined };
  compiler.library.set(key, entry);
  entry.body = compiler.define(definition, new NameScope()).body;
  return entry;
}

/** A call of a function of the program; its arguments are filters. */
function compileUser(
  entry: FunctionEntry,
  args: readonly Node[],
  scope: NameScope,
  compiler: Compiler,
  isTail: boolean,
): Filter {
  const distance = scope.depth - entry.depth;
  const closures = args.map((arg) => closureOf(arg, scope, compiler));
  const frames = (env: Env): Env =>
    closures.reduce<Env>(
      (parent, closure) => ({ value: null, closure: closure(env), parent }),
      frameAt(env, distance),
    );
  const bodyOf = (): Filter => entry.body ?? many(() => nothing());
  return callOf(
    (input, env) => ({ body: bodyOf(), input, env: frames(env) }),
    isTail,
    compiler.machine,
  );
}

// oxlint-disable-next-line require-yield
function* nothing(): Results {
  return undefined;
}

/** A parameter that is handed on is the closure itself, so that recursion builds no chain of them. */
function closureOf(arg: Node, scope: NameScope, compiler: Compiler): (env: Env) => Closure {
  if (arg.type === "call" && arg.args.length === 0) {
    const found = lookUpFunction(scope, arg.name, 0);
    const distance = found ? scope.depth - found.depth : 0;
    if (found?.kind === "param")
      return (env) => frameAt(env, distance)?.closure ?? { filter: many(nothing), env };
  }
  const filter = compiler.compile(arg, scope);
  return (env) => ({ filter, env });
}

function compileParam(distance: number, isTail: boolean, { machine }: Compiler): Filter {
  return callOf(
    (input, env) => {
      const { filter: body, env: own } = frameAt(env, distance)?.closure ?? {
        filter: many(nothing),
        env: undefined,
      };
      return { body, input, env: own };
    },
    isTail,
    machine,
  );
}

type Call = (input: In, env: Env) => { body: Filter; input: In; env: Env };

/** In tail position, a call is left to the caller; otherwise it makes those that are left to it. */
function callOf(call: Call, isTail: boolean, machine: JqMachine): Filter {
  if (isTail) {
    // oxlint-disable-next-line require-yield
    return many(function* (input, env) {
      return call(input, env);
    });
  }
  return many(function* (input, env) {
    let next: ReturnType<Call> | undefined = call(input, env);
    while (next) {
      if (machine.tick()) yield PAUSE;
      const { one }: Filter = next.body;
      if (one) {
        yield one(next.input, next.env);
        return undefined;
      }
      next = yield* next.body.run(next.input, next.env);
    }
    return undefined;
  });
}

type NativeValue = (machine: JqMachine, input: Value, ...args: Value[]) => Value;

/** A native that computes one value from its input and the results of its arguments. */
function compileNative(native: NativeValue, args: readonly Filter[], machine: JqMachine): Filter {
  const ones = args.flatMap(({ one }) => (one ? [one] : []));
  if (ones.length === args.length)
    return single((value, env) =>
      native(machine, value, ...ones.map((one) => plain(one(value, env)))),
    );
  return many(function* (input, env) {
    const value = plain(input);
    // The results of the first argument change fastest.
    for (const values of product(args.toReversed(), value, env)) {
      if (values === PAUSE) yield PAUSE;
      else yield computed(input, native(machine, value, ...values.toReversed()));
    }
    return undefined;
  });
}
