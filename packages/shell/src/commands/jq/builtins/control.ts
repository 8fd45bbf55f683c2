import { numberOf, valueError } from "../errors.ts";
import { computed, type Env, type Filter, type In, PAUSE, plain, type Results } from "../filter.ts";
import { Halt, JqError, JqLimitReached } from "../machine.ts";
import { jsonText } from "../text/print.ts";
import { product } from "../product.ts";
import { isTrue, kindOf, objectOf, type Value } from "../values.ts";
import type { NativeCall, NativeFilters, NativeValues } from "./native.ts";

export const controlValues: NativeValues = {
  "not/0": (_, input) => !isTrue(input),
  "type/0": (_, input) => kindOf(input),
  "env/0": ({ env }) => objectOf(Object.entries(env)),
  "input_filename/0": ({ inputs }) => inputs.fileName,
  "input_line_number/0": ({ inputs }) => inputs.lineNumber,
  "get_search_list/0": ({ library }) => [...library],
  "have_literal_numbers/0": () => true,
  "have_decnum/0": () => false,
  "halt/0"() {
    throw new Halt(0, "");
  },
  "halt_error/1"(machine, input, code = null) {
    if (typeof code !== "number") throw valueError("halt_error/1: number required", input);
    const text =
      input === null ? "" : typeof input === "string" ? input : `${jsonText(input, machine)}\n`;
    throw new Halt(Math.trunc(code) & 0xff, text);
  },
};

function* values({ args, env, input }: NativeCall, at = 0): Generator<Value | typeof PAUSE> {
  for (const value of args[at]?.run(plain(input), env) ?? [])
    yield value === PAUSE ? PAUSE : plain(value);
}

function raise(value: Value): void {
  if (value !== null) throw new JqError(value);
}

/** The next input, once it is read. */
function* nextInput({
  machine,
}: NativeCall): Generator<typeof PAUSE, { value: Value } | undefined, undefined> {
  for (;;) {
    const next = machine.inputs.next();
    if (next === "end") return undefined;
    if (next !== "wait") return next;
    yield PAUSE;
  }
}

const MAX_STACK = 200_000;

/** Results of a filter that is applied to its own results; `expand` says which of them are results of the whole. */
function* explored(
  start: In,
  expand: (input: In) => Generator<{ result: In } | { next: In } | typeof PAUSE>,
  { machine }: NativeCall,
): Results {
  const stack = [expand(start)];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const { done, value } = top.next();
    if (done) stack.pop();
    else if (value === PAUSE) yield PAUSE;
    else if ("result" in value) yield value.result;
    else {
      if (machine.tick()) yield PAUSE;
      if (stack.length > MAX_STACK) throw new JqLimitReached("depth limit exceeded");
      stack.push(expand(value.next));
    }
  }
  return undefined;
}

/** `while` and `until`: a condition, then the filter that leads on. */
function looped(isUntil: boolean) {
  return function* (call: NativeCall): Results {
    const { args, env, input, machine } = call;
    const [condition, update] = args;
    const { one } = condition ?? {};
    const { one: updateOne } = update ?? {};
    if (one && updateOne) {
      let state = input;
      for (;;) {
        if (machine.tick()) yield PAUSE;
        const isMet = isTrue(plain(one(plain(state), env)));
        if (isMet === isUntil) break;
        if (!isUntil) yield state;
        state = updateOne(state, env);
      }
      if (isUntil) yield state;
      return undefined;
    }
    return yield* explored(
      input,
      function* (state) {
        for (const result of condition?.run(plain(state), env) ?? []) {
          if (result === PAUSE) {
            yield PAUSE;
            continue;
          }
          const isMet = isTrue(plain(result));
          if (isMet) yield { result: state };
          if (isMet === isUntil) continue;
          for (const next of update?.run(state, env) ?? []) yield next === PAUSE ? PAUSE : { next };
        }
      },
      call,
    );
  };
}

function* applied(
  filter: Filter | undefined,
  input: In,
  env: Env,
): ReturnType<Parameters<typeof explored>[1]> {
  yield { result: input };
  for (const next of filter?.run(input, env) ?? []) yield next === PAUSE ? PAUSE : { next };
}

function* ranged(call: NativeCall, filters: readonly Filter[]): Results {
  const { input, env, machine } = call;
  for (const bounds of product(filters, plain(input), env)) {
    if (bounds === PAUSE) {
      yield PAUSE;
      continue;
    }
    const [from = null, to = null, by = 1] = bounds;
    if (typeof from !== "number" || typeof to !== "number" || typeof by !== "number")
      throw new JqError("Range bounds must be numeric");
    if (by === 0) continue;
    for (let at = from; by > 0 ? at < to : at > to; at += by) {
      if (machine.tick()) yield PAUSE;
      yield computed(input, at);
    }
  }
  return undefined;
}

const zero: Filter = {
  one: () => 0,
  *run() {
    yield 0;
    return undefined;
  },
};

export const controlFilters: NativeFilters = {
  // oxlint-disable-next-line require-yield
  *"empty/0"() {
    return undefined;
  },
  // oxlint-disable-next-line require-yield
  *"error/0"({ input }) {
    raise(plain(input));
    return undefined;
  },
  *"error/1"(call) {
    for (const value of values(call)) {
      if (value === PAUSE) yield PAUSE;
      else raise(value);
    }
    return undefined;
  },
  *"select/1"({ input, args: [condition], env }) {
    const value = plain(input);
    const one = condition?.one;
    if (one) {
      if (isTrue(plain(one(value, env)))) yield input;
      return undefined;
    }
    for (const result of condition?.run(value, env) ?? []) {
      if (result === PAUSE) yield PAUSE;
      else if (isTrue(plain(result))) yield input;
    }
    return undefined;
  },
  *"recurse/1"(call) {
    const { args, env } = call;
    return yield* explored(call.input, (input) => applied(args[0], input, env), call);
  },
  *"repeat/1"({ input, args: [filter], env, machine }) {
    for (;;) {
      if (machine.tick()) yield PAUSE;
      yield* filter?.run(input, env) ?? [];
    }
  },
  "while/2": looped(false),
  "until/2": looped(true),
  "range/1": (call) => ranged(call, [zero, ...call.args]),
  "range/2": (call) => ranged(call, call.args),
  "range/3": (call) => ranged(call, call.args),
  *"first/1"({ input, args: [filter], env }) {
    for (const value of filter?.run(input, env) ?? []) {
      yield value;
      if (value !== PAUSE) return undefined;
    }
    return undefined;
  },
  *"last/1"({ input, args: [filter], env }) {
    let last: In | undefined;
    for (const value of filter?.run(input, env) ?? []) {
      if (value === PAUSE) yield PAUSE;
      else last = value;
    }
    yield last === undefined ? computed(input, null) : last;
    return undefined;
  },
  *"limit/2"(call) {
    const { input, args, env } = call;
    for (const count of values(call)) {
      if (count === PAUSE) {
        yield PAUSE;
        continue;
      }
      let left = numberOf(count);
      if (left === 0) continue;
      for (const value of args[1]?.run(input, env) ?? []) {
        yield value;
        if (value !== PAUSE && --left <= 0 && Number(count) > 0) break;
      }
    }
    return undefined;
  },
  *"input/0"(call) {
    const next = yield* nextInput(call);
    if (!next) throw new JqError("break");
    yield computed(call.input, next.value);
    return undefined;
  },
  *"inputs/0"(call) {
    for (let next = yield* nextInput(call); next; next = yield* nextInput(call))
      yield computed(call.input, next.value);
    return undefined;
  },
  *"debug/0"({ input, machine }) {
    machine.messages += `${jsonText(["DEBUG:", plain(input)], machine)}\n`;
    yield input;
    return undefined;
  },
  *"stderr/0"({ input, machine }) {
    machine.messages += jsonText(plain(input), machine);
    yield input;
    return undefined;
  },
};
