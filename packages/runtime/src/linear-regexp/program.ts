import type { CharacterSet } from "./character-set.ts";
import { requiredTexts } from "./required-texts.ts";
import type { Expression } from "./parse.ts";
import {
  type Assertion,
  isNullable,
  LinearSyntaxError,
  type Node,
  type Repetition,
} from "./syntax.ts";

/**
 * Kinds of instructions. `CHARACTER` goes on with `out` if the next character is in the set `detail`; `SPLIT` prefers
 * `out` to `detail`; `SAVE` notes the position in the slot `detail`; `ASSERT` goes on if `assertions[detail]` holds.
 */
export const CHARACTER = 0;
export const SPLIT = 1;
export const SAVE = 2;
export const ASSERT = 3;
export const MATCH = 4;

/** The instruction `MATCH`, of which there is one. */
export const END_PLACE = 0;

/** An expression as instructions, each of which is a number's entries in the lists. */
export interface Program {
  readonly kinds: readonly number[];
  readonly outs: readonly number[];
  readonly details: readonly number[];
  /** Instructions that lead to each one. */
  readonly sources: readonly (readonly number[])[];
  readonly start: number;
  readonly sets: readonly CharacterSet[];
  readonly assertions: readonly Assertion[];
  /** True when each match begins where the text does. */
  readonly isAnchored: boolean;
  /** Literal text that each match begins with. */
  readonly prefix: string;
  /** Literal text within each match. */
  readonly needle: string;
}

/** Instructions of the largest expression; one has a number that fits in a code unit. */
const MAX_INSTRUCTIONS = 60_000;

/** @throws {LinearSyntaxError} for an expression that is too large */
export function compile({ node }: Expression): Program {
  const compiler = new Compiler();
  const start = compiler.compile(node);
  return {
    ...compiler.lists,
    start,
    sources: sourcesOf(compiler.lists),
    isAnchored: isAnchored(node),
    ...requiredTexts(node),
  };
}

/** Writes instructions from the last to the first, so that each knows the one that follows. */
class Compiler {
  readonly lists = {
    kinds: [MATCH],
    outs: [0],
    details: [0],
    sets: [] as CharacterSet[],
    assertions: [] as Assertion[],
  };
  readonly #setNumbers = new Map<string, number>();

  compile(node: Node): number {
    return this.#compile(node, END_PLACE);
  }

  /** The instruction that matches the part and goes on with `next`. */
  #compile(node: Node, next: number): number {
    switch (node.type) {
      case "set":
        return this.#add(CHARACTER, next, this.#setNumber(node.set));
      case "assertion":
        return this.#add(ASSERT, next, this.lists.assertions.push(node.assertion) - 1);
      case "group": {
        const end = this.#add(SAVE, next, node.index * 2 + 1);
        return this.#add(SAVE, this.#compile(node.item, end), node.index * 2);
      }
      case "sequence":
        return node.items.reduceRight((after, item) => this.#compile(item, after), next);
      case "choice":
        return node.items
          .map((item) => this.#compile(item, next))
          .reduceRight((others, first) => this.#add(SPLIT, first, others));
      case "repetition":
        return this.#repetition(node, next);
    }
  }

  #repetition(repetition: Repetition, next: number): number {
    const { item, least, most } = repetition;
    const isEndless = most === Number.POSITIVE_INFINITY;
    let first = next;
    if (isEndless) first = this.#loop(repetition, next);
    else
      for (let count = least; count < most; count++)
        first = this.#either(repetition, this.#compile(item, first), next);
    for (let count = isEndless ? 1 : 0; count < least; count++) first = this.#compile(item, first);
    return first;
  }

  /** One or more times, or any number of times. */
  #loop(repetition: Repetition, next: number): number {
    const { item, least } = repetition;
    const loop = this.#either(repetition, next, next);
    const body = this.#compile(item, loop);
    (repetition.isLazy ? this.lists.details : this.lists.outs)[loop] = body;
    if (least > 0) return body;
    // What can be empty is entered once at most without taking a character.
    return isNullable(item) ? this.#either(repetition, body, next) : loop;
  }

  #either({ isLazy }: Repetition, body: number, next: number): number {
    return isLazy ? this.#add(SPLIT, next, body) : this.#add(SPLIT, body, next);
  }

  #add(kind: number, out: number, detail: number): number {
    const { kinds, outs, details } = this.lists;
    if (kinds.length >= MAX_INSTRUCTIONS) throw new LinearSyntaxError("expression too large", 0);
    outs.push(out);
    details.push(detail);
    return kinds.push(kind) - 1;
  }

  #setNumber(set: CharacterSet): number {
    const key = JSON.stringify(set);
    let number = this.#setNumbers.get(key);
    if (number === undefined) {
      number = this.lists.sets.push(set) - 1;
      this.#setNumbers.set(key, number);
    }
    return number;
  }
}

function sourcesOf({ kinds, outs, details }: Compiler["lists"]): number[][] {
  const sources: number[][] = kinds.map(() => []);
  kinds.forEach((kind, at) => {
    if (kind === MATCH) return;
    sources[outs[at] ?? 0]?.push(at);
    if (kind === SPLIT) sources[details[at] ?? 0]?.push(at);
  });
  return sources;
}

function isAnchored(node: Node): boolean {
  if (node.type === "assertion") return node.assertion === "text-start";
  if (node.type === "group") return isAnchored(node.item);
  if (node.type === "repetition") return node.least > 0 && isAnchored(node.item);
  if (node.type === "choice") return node.items.every(isAnchored);
  return node.type === "sequence" && node.items[0] !== undefined && isAnchored(node.items[0]);
}
