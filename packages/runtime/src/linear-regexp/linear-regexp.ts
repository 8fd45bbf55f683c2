import { Alphabet } from "./alphabet.ts";
import type { Automaton } from "./automaton.ts";
import { backwardAutomaton } from "./backward.ts";
import { forwardAutomaton } from "./forward.ts";
import { parse, type SyntaxOptions } from "./parse.ts";
import { compile, type Program } from "./program.ts";
import { scanBackward, scanForward } from "./scan.ts";
import { Submatches } from "./submatches.ts";

export { LinearSyntaxError } from "./syntax.ts";

export interface LinearOptions extends SyntaxOptions {
  /** Prefers the longest of the matches that start first, as POSIX does, to the one that is written first. */
  readonly longest?: boolean | undefined;
}

/** A half-open range, in code units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** An expression in the syntax of RE2 whose searches take time in proportion to the text, whatever the expression. */
export interface LinearRegExp {
  /** Number of groups. */
  readonly groups: number;
  /** Numbers of the groups that have a name. */
  readonly names: ReadonlyMap<string, number>;
  test(text: string): boolean;
  /** Finds the first match at or after `from`. Assertions see the text before it. */
  find(text: string, from?: number): Range | undefined;
  /** The starts and ends of the match and of each group in turn; -1 for a group that is not part of the match. */
  findGroups(text: string, from?: number): number[] | undefined;
}

/** @throws {LinearSyntaxError} for an expression outside of the syntax of RE2, or one that is too large */
export function compileLinear(source: string, options: LinearOptions = {}): LinearRegExp {
  const expression = parse(source, options);
  const search = new Search(compile(expression), options.longest === true);
  const { groups, names } = expression;
  return {
    groups,
    names,
    test: (text) => search.end(text, 0, true) !== undefined,
    find: (text, from = 0) => search.find(text, from),
    findGroups(text, from = 0) {
      const range = search.find(text, from);
      if (!range) return undefined;
      const slots = [range.start, range.end];
      for (let group = 0; group < groups; group++) slots.push(-1, -1);
      if (groups > 0) search.findGroups(text, range, slots);
      return slots;
    },
  };
}

/** The automata of one expression, each made when it is first needed. */
class Search {
  readonly #program: Program;
  readonly #alphabet: Alphabet;
  readonly #forward: Automaton;
  readonly #backward: Automaton;
  readonly #longest: Automaton | undefined;
  #submatches: Submatches | undefined;

  constructor(program: Program, isLongest: boolean) {
    this.#program = program;
    this.#alphabet = new Alphabet(program);
    this.#forward = forwardAutomaton(program, this.#alphabet, { longest: false });
    this.#backward = backwardAutomaton(program, this.#alphabet);
    if (isLongest) this.#longest = forwardAutomaton(program, this.#alphabet, { longest: true });
  }

  /** The end of the first match at or after `from`, or of any with `isAnyEnough`. */
  end(text: string, from: number, isAnyEnough = false): number | undefined {
    const { isAnchored, needle, prefix } = this.#program;
    if (from > (isAnchored ? 0 : text.length)) return undefined;
    if (needle !== "" && !text.includes(needle, from)) return undefined;
    const at = isAnchored || prefix === "" ? from : text.indexOf(prefix, from);
    if (at < 0) return undefined;
    const state = this.#forward.begin(this.#alphabet.kindBefore(text, at), !isAnchored);
    return scanForward(this.#forward, this.#alphabet, { text, at, state, isAnyEnough });
  }

  find(text: string, from: number): Range | undefined {
    const first = this.end(text, from);
    if (first === undefined) return undefined;
    const start = this.#program.isAnchored ? from : this.#start(text, from, first);
    if (!this.#longest) return { start, end: first };
    const state = this.#longest.begin(this.#alphabet.kindBefore(text, start));
    const end = scanForward(this.#longest, this.#alphabet, { text, at: start, state });
    return { start, end: end ?? first };
  }

  #start(text: string, from: number, end: number): number {
    const state = this.#backward.begin(this.#alphabet.kindAt(text, end));
    const at = scanBackward(this.#backward, this.#alphabet, { text, from, at: end, state });
    if (at === undefined) throw new Error("a match without a start");
    return at;
  }

  findGroups(text: string, { start, end }: Range, slots: number[]): void {
    this.#submatches ??= new Submatches(this.#program, this.#alphabet, this.#backward);
    this.#submatches.find(text, start, end, slots);
  }
}
