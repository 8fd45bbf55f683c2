import { type Alphabet, holds } from "./alphabet.ts";
import { type Automaton, type StateParts, NumberSet, type Move, type State } from "./automaton.ts";
import { scanBackward } from "./scan.ts";
import { ASSERT, CHARACTER, END_PLACE, MATCH, type Program, SAVE, SPLIT } from "./program.ts";

/** Positions whose states are kept at once. */
const BLOCK = 1024;
/** Kinds of neighbours. */
const KINDS = 4;

/**
 * Finds the groups of a match whose start and end are known. A backward scan notes at each position which instructions
 * can reach the end, so a walk forward never has to try more than once: at each choice it takes the first way that gets
 * there.
 */
export class Submatches {
  readonly #program: Program;
  readonly #alphabet: Alphabet;
  readonly #backward: Automaton;
  readonly #visited: NumberSet;
  readonly #parents: Uint16Array;
  /** States of a block, by their distance to its end. */
  readonly #states: State[] = [];

  constructor(program: Program, alphabet: Alphabet, backward: Automaton) {
    this.#program = program;
    this.#alphabet = alphabet;
    this.#backward = backward;
    this.#visited = new NumberSet(program.kinds.length);
    this.#parents = new Uint16Array(program.kinds.length);
  }

  /** Fills `slots` with the starts and ends of the groups in a match from `start` to `end`. */
  find(text: string, start: number, end: number, slots: number[]): void {
    const walk = { place: this.#program.start, at: start };
    if (end - start > BLOCK)
      for (const block of this.#blocks(text, start, end))
        this.#walk(walk, { text, end: block.end, state: this.#backward.state(block.parts), slots });
    const state = this.#backward.begin(this.#alphabet.kindAt(text, end));
    this.#walk(walk, { text, end, state, slots });
  }

  /** Goes on up to `end`, the start of a character or the end of the match. */
  #walk(
    walk: { place: number; at: number },
    { text, end, state: last, slots }: { text: string; end: number; state: State; slots: number[] },
  ): void {
    const { outs } = this.#program;
    const states = this.#states;
    let { place, at } = walk;
    const visit = (state: State, position: number): void => void (states[end - position] = state);
    scanBackward(this.#backward, this.#alphabet, { text, from: at, at: end, state: last, visit });
    let before = this.#alphabet.kindBefore(text, at);
    for (;;) {
      const state = states[end - at];
      if (!state) throw new Error("a position without a state");
      if (at === end && state.places[0] !== END_PLACE) break;
      const { place: next, slots: saved } = this.#move(state, place, before);
      for (const slot of saved) slots[slot] = at;
      if (next === END_PLACE) break;
      place = outs[next] ?? 0;
      before = state.kind;
      at +=
        (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    }
    walk.place = place;
    walk.at = at;
  }

  /** The parts of the states at some positions of a long match, the first one first: all states would take too much memory. */
  #blocks(text: string, start: number, end: number): { end: number; parts: StateParts }[] {
    const blocks: { end: number; parts: StateParts }[] = [];
    let next = end - BLOCK;
    scanBackward(this.#backward, this.#alphabet, {
      text,
      from: start,
      at: end,
      state: this.#backward.begin(this.#alphabet.kindAt(text, end)),
      visit: ({ places, kind, isOpen, isMatch }, position) => {
        if (position > next) return;
        next = position - BLOCK;
        blocks.push({ end: position, parts: { places, kind, isOpen, isMatch } });
      },
    });
    return blocks.reverse();
  }

  #move(state: State, place: number, before: number): Move {
    const key = place * KINDS + before;
    let move = state.moves?.[key];
    if (!move) {
      move = this.#findMove(state, place, before);
      this.#backward.addMove(state, key, move);
    }
    return move;
  }

  #findMove({ places, kind: after }: State, from: number, before: number): Move {
    const { kinds, outs, details, assertions } = this.#program;
    const goals = new Set(places);
    const stack = [from, from];
    this.#visited.clear();
    for (;;) {
      const parent = stack.pop();
      const at = stack.pop();
      if (at === undefined || parent === undefined) throw new Error("no way to the end of a match");
      if (!this.#visited.add(at)) continue;
      this.#parents[at] = parent;
      const kind = kinds[at];
      if (kind === CHARACTER || kind === MATCH) {
        if (goals.has(at)) return { place: at, slots: this.#slotsTo(at, from) };
        continue;
      }
      const detail = details[at] ?? 0;
      if (kind === ASSERT && !holds(assertions[detail], before, after)) continue;
      if (kind === SPLIT) stack.push(detail, at);
      stack.push(outs[at] ?? 0, at);
    }
  }

  #slotsTo(place: number, from: number): number[] {
    const slots: number[] = [];
    for (let at = place; ; at = this.#parents[at] ?? from) {
      if (this.#program.kinds[at] === SAVE) slots.push(this.#program.details[at] ?? 0);
      if (at === from) return slots;
    }
  }
}
