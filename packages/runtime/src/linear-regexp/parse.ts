import { MAX_CODE, rangesSet, singleSet } from "./character-set.ts";
import { parseClass, parseClassEscape, parseEscape } from "./parse-class.ts";
import { SourceReader } from "./reader.ts";
import type { Assertion, Node } from "./syntax.ts";

export interface SyntaxOptions {
  readonly ignoreCase?: boolean | undefined;
  /** Lets `^` and `$` match at line breaks. */
  readonly multiline?: boolean | undefined;
  /** Lets `.` match line breaks. */
  readonly dotAll?: boolean | undefined;
}

export interface Expression {
  readonly node: Node;
  /** Number of groups. */
  readonly groups: number;
  /** Numbers of the groups that have a name. */
  readonly names: ReadonlyMap<string, number>;
}

const MAX_TIMES = 1000;
const MAX_DEPTH = 1000;
const ANY = rangesSet([0, MAX_CODE]);
const NO_BREAK = rangesSet([10, 10], true);
const ESCAPED_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: "text-start",
  z: "text-end",
  b: "word",
  B: "no-word",
};

/** Parses the syntax of RE2. @throws {LinearSyntaxError} */
export function parse(source: string, options: SyntaxOptions): Expression {
  return new Parser(source, options).parse();
}

/** Flags by their letter, in force up to the end of the group. */
type Flags = Readonly<Record<"i" | "m" | "s" | "U", boolean>>;

class Parser {
  readonly #reader: SourceReader;
  readonly #names = new Map<string, number>();
  #groups = 0;
  #depth = 0;
  #flags: Flags;

  constructor(source: string, options: SyntaxOptions) {
    this.#reader = new SourceReader(source);
    const { ignoreCase: i = false, multiline: m = false, dotAll: s = false } = options;
    this.#flags = { i, m, s, U: false };
  }

  parse(): Expression {
    const node = this.#choice();
    if (!this.#reader.isAtEnd) this.#reader.fail("unexpected )", this.#reader.at + 1);
    return { node, groups: this.#groups, names: this.#names };
  }

  /** Alternatives up to a closing parenthesis or the end. */
  #choice(): Node {
    const items = [this.#sequence()];
    while (this.#reader.skip("|")) items.push(this.#sequence());
    return items.length === 1 && items[0] ? items[0] : { type: "choice", items };
  }

  #sequence(): Node {
    const reader = this.#reader;
    const items: Node[] = [];
    let isRepeated = false;
    while (!reader.isAtEnd && !reader.isNext("|") && !reader.isNext(")")) {
      const times = this.#times();
      if (!times) {
        items.push(...this.#atoms());
        isRepeated = false;
        continue;
      }
      if (isRepeated) reader.fail("invalid nested repetition operator");
      isRepeated = true;
      const item = items.pop() ?? reader.fail("missing argument to repetition operator");
      items.push({ type: "repetition", item, ...times });
      if (times.isCounted && timesOf(items.at(-1)) > MAX_TIMES) reader.fail("invalid repeat count");
    }
    return items.length === 1 && items[0] ? items[0] : { type: "sequence", items };
  }

  #times(): { least: number; most: number; isLazy: boolean; isCounted: boolean } | undefined {
    const reader = this.#reader;
    const sign = reader.match(/[*+?]/y)?.[0];
    const counted = sign ? undefined : reader.match(/\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y);
    if (sign === undefined && !counted) return undefined;
    let [least, most] = [sign === "+" ? 1 : 0, sign === "?" ? 1 : Number.POSITIVE_INFINITY];
    if (counted) {
      const [, low = "", comma = "", high = ""] = counted;
      least = Number(low);
      if (high !== "" || comma === "") most = Number(high === "" ? low : high);
      const isTooMany = Math.max(least, Number.isFinite(most) ? most : 0) > MAX_TIMES;
      if (isTooMany || least > most) reader.fail("invalid repeat count");
    }
    const isLazy = reader.skip("?") !== this.#flags.U;
    return { least, most, isLazy, isCounted: counted !== undefined };
  }

  /** None for flags, several for quoted text. */
  #atoms(): Node[] {
    const reader = this.#reader;
    if (reader.skip("\\Q")) {
      const text = reader.takeUntil("\\E") ?? reader.takeRest();
      return Array.from(text, (character) => this.#literal(character.codePointAt(0) ?? 0));
    }
    if (reader.skip("(")) return this.#group();
    if (reader.skip("[")) return [{ type: "set", set: parseClass(reader, this.#flags.i) }];
    if (reader.skip(".")) return [{ type: "set", set: this.#flags.s ? ANY : NO_BREAK }];
    if (reader.skip("^")) return [this.#assertion(this.#flags.m ? "line-start" : "text-start")];
    if (reader.skip("$")) return [this.#assertion(this.#flags.m ? "line-end" : "text-end")];
    return [reader.isNext("\\") ? this.#escape() : this.#literal(reader.takeCode())];
  }

  #escape(): Node {
    const reader = this.#reader;
    const letter = reader.source.charAt(reader.at + 1);
    const assertion = Object.hasOwn(ESCAPED_ASSERTIONS, letter)
      ? ESCAPED_ASSERTIONS[letter]
      : undefined;
    if (assertion) {
      reader.at += 2;
      return this.#assertion(assertion);
    }
    const term = parseClassEscape(reader);
    if (!term) return this.#literal(parseEscape(reader));
    const set = { terms: [term], isNegated: false, ignoresCase: this.#flags.i };
    return { type: "set", set };
  }

  #assertion(assertion: Assertion): Node {
    return { type: "assertion", assertion };
  }

  #literal(code: number): Node {
    return { type: "set", set: singleSet(code, this.#flags.i) };
  }

  #group(): Node[] {
    const reader = this.#reader;
    const start = reader.at;
    const outer = this.#flags;
    let index: number | undefined;
    if (reader.match(/\?P?</y)) {
      index = this.#groups += 1;
      this.#name(index);
    } else if (reader.skip("?")) {
      if (this.#readFlags() === ")") return [];
    } else {
      index = this.#groups += 1;
    }
    if (++this.#depth > MAX_DEPTH) reader.fail("expression nests too deeply");
    const item = this.#choice();
    this.#depth -= 1;
    if (!reader.skip(")")) reader.fail("missing closing )", start);
    this.#flags = outer;
    return [index === undefined ? item : { type: "group", index, item }];
  }

  #name(index: number): void {
    const reader = this.#reader;
    const name = reader.takeUntil(">") ?? "";
    if (!/^\w+$/.test(name)) reader.fail("invalid named capture");
    if (this.#names.has(name)) reader.fail("duplicate capture group name");
    this.#names.set(name, index);
  }

  /** Reads flags and returns what ends them: a colon, or the parenthesis. */
  #readFlags(): string {
    const reader = this.#reader;
    const start = reader.at;
    const [whole, on = "", minus, off = "", end = ""] =
      reader.match(/([imsU]*)(?:(-)([imsU]+))?([:)])/y) ?? [];
    if (whole === undefined) reader.fail("invalid or unsupported Perl syntax", start);
    const flags = { ...this.#flags };
    for (const flag of ["i", "m", "s", "U"] as const) {
      if (on.includes(flag)) flags[flag] = true;
      if (minus && off.includes(flag)) flags[flag] = false;
    }
    this.#flags = flags;
    return end;
  }
}

/** How often a part can be repeated by counts within counts. */
function timesOf(node: Node | undefined): number {
  if (node?.type === "group") return timesOf(node.item);
  if (node?.type === "sequence" || node?.type === "choice")
    return node.items.reduce((most, item) => Math.max(most, timesOf(item)), 1);
  if (node?.type !== "repetition") return 1;
  const { least, most, item } = node;
  const times = Number.isFinite(most) ? most : Math.max(1, least);
  return times === 0 ? 1 : times * timesOf(item);
}
