import { valueError } from "../errors.ts";
import { computed, PAUSE, plain, type Results } from "../filter.ts";
import { JqError, type JqMachine } from "../machine.ts";
import { product } from "../product.ts";
import { type Expression, expressionOf } from "../expressions.ts";
import { isArray, kindOf, objectOf, type Value } from "../values.ts";
import type { NativeCall, NativeFilters, NativeValues } from "./native.ts";

interface Match {
  /** Positions of the match and its groups in code units. */
  readonly groups: readonly (readonly [start: number, end: number])[];
}

function compiled(
  machine: JqMachine,
  input: Value,
  source: Value,
  flags: Value,
): { text: string; expression: Expression } {
  if (typeof input !== "string")
    throw valueError("cannot be matched, as it is not a string", input);
  if (isArray(source)) {
    if (source.length === 0) throw new JqError("array not a string or array");
    return compiled(machine, input, source[0] ?? null, source[1] ?? null);
  }
  if (typeof source !== "string") {
    throw flags === null
      ? new JqError(`${kindOf(source)} not a string or array`)
      : valueError("cannot be matched, as it is not a string", source);
  }
  if (flags !== null && typeof flags !== "string") throw valueError("is not a string", flags);
  const wrong = /[^gimnpslx]/.exec(flags ?? "");
  if (wrong) throw new JqError(`${flags} is not a valid modifier string`);
  return { text: input, expression: expressionOf(machine, source, flags ?? "") };
}

/** The matches in a text, one after the other. */
function* matches(text: string, { find, isGlobal, skipsEmpty }: Expression): Generator<Match> {
  for (let at = 0; at <= text.length;) {
    const groups = find(text, at);
    const [whole] = groups ?? [];
    if (!groups || !whole) return;
    const [start, end] = whole;
    if (end > start || !skipsEmpty) {
      yield { groups };
      if (!isGlobal) return;
    }
    at = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
}

/** Counts characters up to places that come in about ascending order. */
function characterCounter(text: string): (place: number) => number {
  const isPlain = !/[\ud800-\udbff]/.test(text);
  let [at, characters] = [0, 0];
  return (place) => {
    if (isPlain) return place;
    if (place < at) [at, characters] = [0, 0];
    for (; at < place; at++) {
      const unit = text.charCodeAt(at);
      if (unit < 0xdc00 || unit >= 0xe000) characters++;
    }
    return characters;
  };
}

function described(
  text: string,
  { groups }: Match,
  names: readonly (string | null)[],
  count: (place: number) => number,
): Value {
  const parts = groups.map(([start, end], at): Value => {
    const part = text.slice(start, end);
    const name: [string, Value][] = at === 0 ? [] : [["name", names[at - 1] ?? null]];
    if (start < 0) return objectOf([["offset", -1], ["string", null], ["length", 0], ...name]);
    const offset = count(start);
    return objectOf([
      ["offset", offset],
      ["length", count(end) - offset],
      ["string", part],
      ...name,
    ]);
  });
  const [whole, ...captures] = parts;
  return { ...(whole as object), captures } as Value;
}

function test(machine: JqMachine, input: Value, source: Value, flags: Value): boolean {
  const { text, expression } = compiled(machine, input, source, flags);
  machine.work(text.length / 256);
  machine.weigh(4 + text.length / 8);
  return !matches(text, expression).next().done;
}

export const matchValues: NativeValues = {
  "test/1": (machine, input, source = null) => test(machine, input, source, null),
  "test/2": (machine, input, source = null, flags = null) => test(machine, input, source, flags),
  "_match/2"(machine, input, source = null, flags = null) {
    const { text, expression } = compiled(machine, input, source, flags);
    const count = characterCounter(text);
    const found: Value[] = [];
    machine.work(text.length / 256);
    machine.weigh(4 + text.length / 8);
    for (const match of matches(text, expression)) {
      machine.work(0.5);
      found.push(described(text, match, expression.names, count));
    }
    return found;
  },
};

/** Replacements of a match: all results of a filter for its captures. */
function* replacements(
  { args, env, machine }: NativeCall,
  text: string,
  { groups }: Match,
  names: readonly (string | null)[],
): Generator<typeof PAUSE, string[], undefined> {
  const captures = objectOf(
    groups.slice(1).flatMap(([start, end], at): [string, Value][] => {
      const name = names[at] ?? null;
      return name === null ? [] : [[name, start < 0 ? null : text.slice(start, end)]];
    }),
  );
  const results: string[] = [];
  for (const result of args[1]?.run(captures, env) ?? []) {
    if (result === PAUSE) {
      yield PAUSE;
      continue;
    }
    const value = plain(result);
    if (typeof value !== "string" && value !== null) throw valueError("cannot be added", "", value);
    results.push(value ?? "");
  }
  if (machine.tick(0.5)) yield PAUSE;
  return results;
}

/** All texts in which each match is replaced by one of its replacements; those of the first change fastest. */
function* combined(
  pieces: readonly (readonly string[])[],
  machine: JqMachine,
): Generator<string, undefined, undefined> {
  const total = pieces.reduce((product, { length }) => product * length, 1);
  for (let index = 0; index < total; index++) {
    let rest = index;
    let length = 0;
    const parts = pieces.map((choices) => {
      const part = choices[rest % choices.length] ?? "";
      rest = Math.floor(rest / choices.length);
      length += part.length;
      return part;
    });
    machine.length(length);
    machine.work(1);
    yield parts.join("");
  }
  return undefined;
}

function* substituted(call: NativeCall, isGlobal: boolean): Results {
  const { args, env, input, machine } = call;
  const [source, , flags] = args;
  const text = plain(input);
  for (const options of product(
    [source, flags].filter((each) => each !== undefined),
    text,
    env,
  )) {
    if (options === PAUSE) {
      yield PAUSE;
      continue;
    }
    const [pattern = null, given = null] = options;
    const letters = isGlobal && typeof given !== "object" ? `${given}g` : isGlobal ? "g" : given;
    const { text: whole, expression } = compiled(machine, text, pattern, letters ?? "");
    machine.work(whole.length / 256);
    const pieces: (readonly string[])[] = [];
    let from = 0;
    for (const match of matches(whole, expression)) {
      const [start = 0, end = 0] = match.groups[0] ?? [];
      pieces.push([whole.slice(from, start)]);
      pieces.push(yield* replacements(call, whole, match, expression.names));
      from = end;
    }
    pieces.push([whole.slice(from)]);
    for (const result of combined(pieces, machine)) {
      if (machine.tick(0)) yield PAUSE;
      yield computed(input, result);
    }
  }
  return undefined;
}

export const matchFilters: NativeFilters = {
  "sub/2": (call) => substituted(call, false),
  "sub/3": (call) => substituted(call, false),
  "gsub/2": (call) => substituted(call, true),
  "gsub/3": (call) => substituted(call, true),
};
