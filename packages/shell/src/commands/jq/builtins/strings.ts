import { JqError, type JqMachine } from "../machine.ts";
import { described, valueError } from "../errors.ts";
import { computed, many, PAUSE, plain } from "../filter.ts";
import { splitText } from "../operators.ts";
import { jsonText } from "../text/print.ts";
import { parseJson } from "../text/json.ts";
import { charactersOf } from "../items.ts";
import { isArray, type Value } from "../values.ts";
import type { NativeFilters, NativeValues } from "./native.ts";

const encoder = new TextEncoder();

/** A value as text: texts themselves, and the JSON of everything else. */
export function textForm(value: Value, machine: JqMachine): string {
  return typeof value === "string" ? value : machine.text(jsonText(value, machine));
}

function needText(value: Value, what: string): string {
  if (typeof value !== "string") throw valueError(what, value);
  return value;
}

function parsed(text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new JqError(`${reason} (while parsing '${text}')`);
  }
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value !== "string") throw valueError("cannot be parsed as a number", value);
  if (NUMBER.test(value)) return Number(value);
  const result = parsed(value);
  if (typeof result === "number") return result;
  throw valueError("cannot be parsed as a number", value);
}

// U+0085 is white space to Unicode and U+FEFF is not; JavaScript has it the other way round.
const SPACE = /(?!\ufeff)[\s\u0085]/;

function trimmed(input: Value, isStart: boolean, isEnd: boolean): string {
  if (typeof input !== "string") throw new JqError("trim input must be a string");
  let [from, to] = [0, input.length];
  const isSpace = (at: number): boolean => SPACE.test(input.charAt(at));
  if (isStart) while (from < to && isSpace(from)) from++;
  if (isEnd) while (to > from && isSpace(to - 1)) to--;
  return input.slice(from, to);
}

function toBoolean(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (value === "true" || value === "false") return value === "true";
  throw valueError("cannot be parsed as a boolean", value);
}

function implode(value: Value): string {
  if (!isArray(value)) throw new JqError("implode input must be an array");
  const codes = value.map((code) => {
    if (typeof code !== "number" || Number.isNaN(code))
      throw new JqError("Unicode codepoint must be numeric");
    const point = Math.trunc(code);
    const isCharacter = point >= 0 && point <= 0x10ffff && (point < 0xd800 || point >= 0xe000);
    return isCharacter ? point : 0xfffd;
  });
  let text = "";
  for (let at = 0; at < codes.length; at += 8192)
    text += String.fromCodePoint(...codes.slice(at, at + 8192));
  return text;
}

function changed(pattern: RegExp, change: (text: string) => string, name: string) {
  return (_: JqMachine, input: Value): Value => {
    if (typeof input !== "string") throw new JqError(`${name} input must be a string`);
    return input.replace(pattern, change);
  };
}

export const textValues: NativeValues = {
  "tostring/0": (machine, input) => textForm(input, machine),
  "tojson/0": (machine, input) => machine.text(jsonText(input, machine)),
  "fromjson/0": (_, input) => parsed(needText(input, "only strings can be parsed")),
  "tonumber/0": (_, input) => toNumber(input),
  "ascii_downcase/0": changed(/[A-Z]+/g, (part) => part.toLowerCase(), "explode"),
  "ascii_upcase/0": changed(/[a-z]+/g, (part) => part.toUpperCase(), "explode"),
  "explode/0"(machine, input) {
    if (typeof input !== "string") throw new JqError("explode input must be a string");
    machine.elements(input.length);
    return Array.from(input, (character) => character.codePointAt(0) ?? 0);
  },
  "implode/0": (_, input) => implode(input),
  "ltrimstr/1": (_, input, prefix) =>
    typeof input === "string" && typeof prefix === "string" && input.startsWith(prefix)
      ? input.slice(prefix.length)
      : input,
  "rtrimstr/1": (_, input, suffix) =>
    typeof input === "string" && typeof suffix === "string" && input.endsWith(suffix)
      ? input.slice(0, input.length - suffix.length)
      : input,
  "trimstr/1": (_, input, part) => {
    if (typeof input !== "string" || typeof part !== "string") return input;
    const start = input.startsWith(part) ? input.slice(part.length) : input;
    return start.endsWith(part) ? start.slice(0, start.length - part.length) : start;
  },
  "trim/0": (_, input) => trimmed(input, true, true),
  "ltrim/0": (_, input) => trimmed(input, true, false),
  "rtrim/0": (_, input) => trimmed(input, false, true),
  "toboolean/0": (_, input) => toBoolean(input),
  "startswith/1"(_, input, prefix) {
    if (typeof input !== "string" || typeof prefix !== "string")
      throw new JqError("startswith() requires string inputs");
    return input.startsWith(prefix);
  },
  "endswith/1"(_, input, suffix) {
    if (typeof input !== "string" || typeof suffix !== "string")
      throw new JqError("endswith() requires string inputs");
    return input.endsWith(suffix);
  },
  "split/1"(machine, input, separator) {
    if (typeof input !== "string" || typeof separator !== "string")
      throw new JqError("split input and separator must be strings");
    return splitText(input, separator, machine);
  },
  "utf8bytelength/0"(_, input) {
    if (typeof input !== "string") throw valueError("only strings have UTF-8 byte length", input);
    return encoder.encode(input).length;
  },
};

/** The part of `join` that one item is; `before` joins those in front of it. */
function joined(item: Value, before: () => string): string {
  if (item === null) return "";
  if (typeof item === "string") return item;
  if (typeof item === "object") throw valueError("cannot be added", before(), item);
  return jsonText(item, { maxCharacters: 100 });
}

export const textFilters: NativeFilters = {
  "join/1": ({ input, args: [separator], env, machine }) => {
    return many(function* () {
      const value = plain(input);
      for (const result of separator?.run(value, env) ?? []) {
        if (result === PAUSE) {
          yield PAUSE;
          continue;
        }
        const between = plain(result);
        const items = isArray(value) ? value : Object.values(value ?? {});
        if (!isArray(value) && (value === null || typeof value !== "object"))
          throw new JqError(`Cannot iterate over ${described(value)}`);
        if (items.length > 1 && typeof between !== "string" && between !== null)
          throw valueError(
            "cannot be added",
            joined(items[0] as Value, () => ""),
            between,
          );
        const separatorText = typeof between === "string" ? between : "";
        const parts: string[] = [];
        let length = 0;
        for (const item of items) {
          const part = joined(item as Value, () => [...parts, ""].join(separatorText));
          parts.push(part);
          machine.length((length += part.length + separatorText.length));
          if (machine.tick(0.05)) yield PAUSE;
        }
        yield computed(input, parts.join(separatorText));
      }
      return undefined;
    }).run(input, env);
  },
};

export function lengthInCharacters(text: string): number {
  return charactersOf(text).length;
}
