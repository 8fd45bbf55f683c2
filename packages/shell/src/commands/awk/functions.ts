import { compileGroups } from "../search/pattern.ts";
import { toPosix } from "./expressions.ts";
import { repeat, type Later } from "./records.ts";
import type { Machine } from "./runtime.ts";
import { compare, formatted, input, toNumber, toText, type List, type Value } from "./values.ts";

/** The arguments of a builtin: values, and lists or expressions by position. */
export interface Call {
  machine: Machine;
  values: readonly Value[];
  /** Lists by argument position. */
  lists: (place: number) => List;
  /** Regular expression literals by argument position. */
  expressions: readonly (string | undefined)[];
}

type Builtin = (call: Call) => Later<Value>;

/** Inserts the matched text for `&`, and a literal ampersand for `\\&`. */
function replacement(text: string, match: string): string {
  return text.replace(/\\\\(?=&)|\\&|&/g, (found) =>
    found === "&" ? match : found === "\\&" ? "&" : "\\",
  );
}

/** Replacements between two checks for a pause. */
const MATCHES_AT_ONCE = 256;

/** `sub` and `gsub`: the new text and the number of replacements. */
export function substituted(
  machine: Machine,
  source: string,
  by: string,
  text: string,
  isGlobal: boolean,
): Later<{ text: string; count: number }> {
  const pattern = machine.pattern(source);
  let [result, count, from, at] = ["", 0, 0, 0];
  const whole = (): { text: string; count: number } => ({ text: result + text.slice(from), count });
  /** Replaces the next match; returns whether there may be another. */
  const replaceNext = (): boolean => {
    const match = at > text.length ? undefined : pattern.find(text, at);
    if (!match || (source.startsWith("^") && match.start > 0)) return false;
    count += 1;
    result += text.slice(from, match.start) + replacement(by, text.slice(match.start, match.end));
    machine.bounded(result);
    from = match.end;
    // An empty match continues after the next character, and may not directly follow a match.
    at = match.end === match.start ? match.end + 1 : match.end;
    if (!isGlobal) return false;
    if (match.end > match.start && at < text.length) {
      const next = pattern.find(text, at);
      if (next && next.start === at && next.end === at) at += 1;
    } else if (match.end > match.start) return false;
    return true;
  };
  return repeat(() => {
    for (let matches = 0; matches < MATCHES_AT_ONCE; matches++) if (!replaceNext()) return whole();
    return machine.context.pace(MATCHES_AT_ONCE)?.then(() => undefined);
  });
}

/** Length in characters, some of which take two code units. */
export function lengthOf(text: string): number {
  return surrogates.test(text) ? Array.from(text).length : text.length;
}
const surrogates = /[\ud800-\udfff]/;

function substring(text: string, start: number, length: number | undefined): string {
  const characters = surrogates.test(text) ? Array.from(text) : undefined;
  const first = Math.round(start);
  const end = length === undefined ? Infinity : first + Math.round(length);
  const [from, to] = [Math.max(1, first) - 1, Math.max(0, end - 1)];
  return characters ? characters.slice(from, to).join("") : text.slice(from, to);
}

/** mulberry32, a generator that repeats its sequence for a program without a seed. */
function randomOf(machine: Machine): { next(): number; seed: number } {
  let generator = generators.get(machine);
  if (!generator) {
    let state = 0;
    generator = {
      get seed() {
        return state;
      },
      set seed(value) {
        state = value;
      },
      next() {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
      },
    };
    generators.set(machine, generator);
  }
  return generator;
}
const generators = new WeakMap<Machine, { next(): number; seed: number }>();

const bits =
  (compute: (one: bigint, other: bigint) => bigint): Builtin =>
  ({ values }) =>
    Number(
      values
        .map((value) => BigInt(Math.trunc(toNumber(value))))
        .reduce((one, other) => compute(one, other)),
    );

const math =
  (compute: (value: number) => number): Builtin =>
  ({ values }) =>
    compute(toNumber(values[0]));

function sortInto({ lists, values }: Call, items: Value[]): number {
  const target = lists(values.length > 1 ? 1 : 0);
  items.sort((one, other) => compare(one, other, "%.6g"));
  target.clear();
  items.forEach((item, at) => target.set(String(at + 1), item));
  return items.length;
}

async function keepGroups({ machine, lists }: Call, source: string, text: string): Promise<void> {
  const list = lists(2);
  list.clear();
  const options = { isExtended: true, isCaseIgnored: false, isMultiline: false };
  const groups = (await compileGroups(toPosix(source), options)).find(text, 0) ?? [];
  groups.forEach(([start, end], at) => {
    if (start < 0) return;
    list.set(String(at), input(text.slice(start, end)));
    list.set(`${at}${machine.text("SUBSEP")}start`, start + 1);
    list.set(`${at}${machine.text("SUBSEP")}length`, end - start);
  });
}

/** The builtin functions of awk whose arguments are all values, by name. */
export const builtins: Readonly<Record<string, Builtin>> = {
  length({ machine, values }) {
    const value = values.length === 0 ? machine.field(0) : values[0];
    return lengthOf(toText(value, machine.text("CONVFMT")));
  },
  substr: ({ machine, values: [text, start, length] }) =>
    substring(
      toText(text, machine.text("CONVFMT")),
      toNumber(start),
      length === undefined ? undefined : toNumber(length),
    ),
  index: ({ values: [text, part] }) => toText(text).indexOf(toText(part)) + 1,
  tolower: ({ values: [text] }) => toText(text).toLowerCase(),
  toupper: ({ values: [text] }) => toText(text).toUpperCase(),
  sprintf: ({ machine, values: [format, ...rest] }) =>
    formatted(toText(format), rest, machine.text("CONVFMT")),
  split({ machine, values, lists, expressions }) {
    const list = lists(1);
    const given = expressions[2] ?? (values.length > 2 ? toText(values[2]) : undefined);
    const by = given ?? machine.text("FS");
    const isPlain = by === "" || (expressions[2] === undefined && by.length <= 1);
    const parts = machine.split(
      toText(values[0], machine.text("CONVFMT")),
      isPlain ? by : machine.pattern(by),
    );
    list.clear();
    parts.forEach((part, at) => machine.put(list, String(at + 1), input(part)));
    return parts.length;
  },
  match(call) {
    const { machine, values, expressions } = call;
    const text = toText(values[0], machine.text("CONVFMT"));
    const source = expressions[1] ?? toText(values[1]);
    const match = machine.pattern(source).find(text, 0);
    const start = match ? match.start + 1 : 0;
    machine.assign("RSTART", start);
    machine.assign("RLENGTH", match ? match.end - match.start : -1);
    return values.length > 2 ? keepGroups(call, source, text).then(() => start) : start;
  },
  async gensub({ machine, values, expressions }) {
    const source = expressions[0] ?? toText(values[0]);
    const [, by, how] = values.map((value) => toText(value));
    const text = toText(values.length > 3 ? values[3] : machine.field(0));
    const options = { isExtended: true, isCaseIgnored: false, isMultiline: false };
    const pattern = await compileGroups(toPosix(source), options);
    const isGlobal = /^[gG]/.test(how ?? "");
    const wanted = Math.max(1, Math.trunc(Number(how) || 1));
    let [result, from] = ["", 0];
    for (let at = 0, count = 1; at <= text.length; count++) {
      const groups = pattern.find(text, at);
      const [start, end] = groups?.[0] ?? [-1, -1];
      if (!groups || start < 0) break;
      if (isGlobal || count === wanted) {
        result += text.slice(from, start);
        result += (by ?? "").replace(/\\(\d|&|\\)|&/g, (whole, mark?: string) => {
          if (mark === "&" || mark === "\\") return mark;
          const [one, other] = groups[whole === "&" ? 0 : Number(mark)] ?? [0, 0];
          return one < 0 ? "" : text.slice(one, other);
        });
        machine.bounded(result);
        from = end;
      }
      at = end === start ? end + 1 : end;
      if (!isGlobal && count === wanted) break;
    }
    return result + text.slice(from);
  },
  int: math(Math.trunc),
  sqrt: math(Math.sqrt),
  exp: math(Math.exp),
  log: math(Math.log),
  sin: math(Math.sin),
  cos: math(Math.cos),
  atan2: ({ values: [y, x] }) => Math.atan2(toNumber(y), toNumber(x)),
  rand: ({ machine }) => randomOf(machine).next(),
  srand({ machine, values }) {
    const generator = randomOf(machine);
    const before = generator.seed;
    generator.seed = values.length > 0 ? toNumber(values[0]) | 0 : Date.now() | 0;
    return before;
  },
  strtonum({ values: [value] }) {
    const text = toText(value).trim();
    if (/^0x[\da-f]+$/i.test(text)) return Number(text);
    return /^0[0-7]+$/.test(text) ? Number.parseInt(text, 8) : toNumber(value);
  },
  and: bits((one, other) => one & other),
  or: bits((one, other) => one | other),
  xor: bits((one, other) => one ^ other),
  lshift: bits((one, other) => one << other),
  rshift: bits((one, other) => one >> other),
  systime: () => Math.floor(Date.now() / 1000),
  async strftime({ machine, values: [format, time, isUtc] }) {
    const seconds = time === undefined ? Math.floor(Date.now() / 1000) : Math.trunc(toNumber(time));
    const shown = format === undefined ? "%a %b %e %H:%M:%S %Z %Y" : toText(format);
    const zone = toNumber(isUtc) ? ["-u"] : [];
    const { stdout } = await machine.context.run("date", [
      ...zone,
      "-d",
      `@${seconds}`,
      `+${shown}`,
    ]);
    return String(stdout).replace(/\n$/, "");
  },
  mktime({ values: [value] }) {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = toText(value)
      .trim()
      .split(/\s+/)
      .map(Number);
    const time = Date.UTC(year, month - 1, day, hour, minute, second);
    return Number.isNaN(time) ? -1 : time / 1000;
  },
  asort: (call) => sortInto(call, [...call.lists(0).values()]),
  asorti: (call) => sortInto(call, [...call.lists(0).keys()]),
  async close({ machine, values: [name] }) {
    return machine.streams.close(toText(name));
  },
  async system({ machine, values: [command] }) {
    return machine.streams.system(toText(command));
  },
  async fflush({ machine }) {
    await machine.streams.flush(true);
    return 0;
  },
};
