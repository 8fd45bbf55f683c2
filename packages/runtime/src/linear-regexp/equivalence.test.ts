import { RE2JS, RE2JSException } from "re2js";
import { expect, it } from "vitest";
import { compileLinear, type LinearOptions, LinearSyntaxError } from "./linear-regexp.ts";

/** Numbers below `most`, the same in each run. */
function randomly(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most);
  };
}

const ATOMS =
  "ab k s \u212a ſ é É 😀 ß ǅ Σ ς \\d \\w \\s \\D \\W \\S \\b \\B ^ $ \\A \\z . [ab] [^a] [a-c] [[:alpha:]] [^[:^word:]k] \\pL \\PL \\p{Greek} \\p{^Lu} [\\W\\d] [^\\n] \\n - 1 _ \\x{1F600} \\x41 \\101 \\Qa.b\\E [K-Z] [\\pN_] \ud83d [^\\w] (?i) (?s-m) (?m) (?U) \\x{d83d} \\. [😀-😂] []a] [a\\-c] \\pZ".split(
    " ",
  );
const BROKEN = "( ) [ ] { } * \\ ? [^ (? \\p \\x [:alpha:] \\8 \\E".split(" ");
const TIMES = "* + ? *? +? ?? {2} {1,2} {0,2} {2,} {0} {1,3}? {,2}".split(" ");
const GROUPS = "( ( (?: (?i: (?m: (?s: (?U: (?<n (?P<m (?-i:".split(" ");
const LETTERS = [
  ..."ab ab K S \u212a ſ é É e 😀 😂 \ud83d \ude00 ß ẞ ǅ ǆ σ ς Σ 1 _ - . A \u00a0 ]".split(" "),
  " ",
  "\n",
  "\r",
  "\t",
];

class Generator {
  readonly #next: (most: number) => number;

  constructor(seed: number) {
    this.#next = randomly(seed);
  }

  pattern(depth = 0): string {
    const parts = Array.from({ length: 1 + this.#next(depth > 2 ? 2 : 4) }, () => {
      const part = depth < 4 && this.#next(10) < 3 ? this.#group(depth) : this.#atom();
      return this.#next(3) === 0 ? part + this.#of(TIMES) : part;
    });
    if (this.#next(5) === 0) parts.splice(this.#next(parts.length + 1), 0, "|");
    if (this.#next(12) === 0) parts.splice(this.#next(parts.length + 1), 0, this.#of(BROKEN));
    return parts.join("");
  }

  options(): Required<LinearOptions> {
    const isSet = (): boolean => this.#next(3) === 0;
    return { ignoreCase: isSet(), multiline: isSet(), dotAll: isSet(), longest: isSet() };
  }

  text(): { text: string; from: number } {
    const text = Array.from({ length: this.#next(12) }, () =>
      this.#next(2) ? this.#of("abcks") : this.#of(LETTERS),
    ).join("");
    return { text, from: this.#next(3) === 0 ? this.#next(text.length + 1) : 0 };
  }

  #group(depth: number): string {
    const open = this.#of(GROUPS);
    const name = open.includes("<") ? `${this.#next(1_000_000)}>` : "";
    const other =
      this.#next(3) === 0 ? `|${this.#next(5) === 0 ? "" : this.pattern(depth + 1)}` : "";
    return `${open}${name}${this.pattern(depth + 1)}${other})`;
  }

  #atom(): string {
    return this.#next(2) ? this.#of("abcks") : this.#of(ATOMS);
  }

  #of(items: ArrayLike<string>): string {
    return items[this.#next(items.length)] ?? "";
  }
}

function judge(pattern: string, options: Required<LinearOptions>): RE2JS | string {
  try {
    return RE2JS.compile(
      pattern,
      (options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) |
        (options.multiline ? RE2JS.MULTILINE : 0) |
        (options.dotAll ? RE2JS.DOTALL : 0) |
        (options.longest ? RE2JS.LONGEST_MATCH : 0),
    );
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return error.message.replace(/^error parsing regexp: /, "").replace(/: `.*`$/su, "");
  }
}

function judgedGroups(judged: RE2JS, text: string, from: number): number[] | undefined {
  const matcher = judged.matcher(text);
  if (!matcher.find(from)) return undefined;
  return Array.from({ length: judged.groupCount() + 1 }, (_, group) => [
    matcher.start(group),
    matcher.end(group),
  ]).flat();
}

function compiled(
  pattern: string,
  options: LinearOptions,
): ReturnType<typeof compileLinear> | string {
  try {
    return compileLinear(pattern, options);
  } catch (error) {
    if (!(error instanceof LinearSyntaxError)) throw error;
    return error.message;
  }
}

it.each([1, 2, 3])("matches and refuses what RE2 does (seed %i)", (seed) => {
  const generator = new Generator(seed);
  const counts = { refused: 0, found: 0, absent: 0 };
  while (counts.found + counts.absent < 4000) {
    const [pattern, options] = [generator.pattern(), generator.options()];
    const judged = judge(pattern, options);
    const own = compiled(pattern, options);
    if (typeof own === "string" || typeof judged === "string") {
      expect({ pattern, own }).toEqual({ pattern, own: judged });
      counts.refused += 1;
      continue;
    }
    for (let round = 0; round < 4; round++) {
      const { text, from } = generator.text();
      const expected = judgedGroups(judged, text, from);
      const example = { pattern, options, text, from };
      expect({ ...example, slots: own.findGroups(text, from) }).toEqual({
        ...example,
        slots: expected,
      });
      if (from === 0)
        expect({ ...example, found: own.test(text) }).toEqual({
          ...example,
          found: expected !== undefined,
        });
      counts[expected ? "found" : "absent"] += 1;
    }
  }
  expect(counts.found).toBeGreaterThan(1000);
  expect(counts.refused).toBeGreaterThan(100);
});
