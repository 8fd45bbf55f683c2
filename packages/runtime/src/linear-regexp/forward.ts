import { type Alphabet, END, holds } from "./alphabet.ts";
import { Automaton, type StateParts, NumberSet, type State } from "./automaton.ts";
import { ASSERT, CHARACTER, MATCH, type Program, SPLIT } from "./program.ts";

/**
 * Reads a text forward. Places are in order of preference, so a match ends all that is less preferred; with `longest`,
 * all go on.
 */
export function forwardAutomaton(
  program: Program,
  alphabet: Alphabet,
  { longest }: { longest: boolean },
): Automaton {
  const { kinds, outs, start } = program;
  const accepting = new NumberSet(program.sets.length);
  const added = new NumberSet(kinds.length);
  const closure = closureOf(program);
  return new Automaton(
    program,
    (state: State, symbol: number): StateParts => {
      const kind = alphabet.kinds[symbol] ?? 0;
      accepting.clear();
      for (const set of alphabet.accepting[symbol] ?? []) accepting.add(set);
      added.clear();
      const places: number[] = [];
      let isMatch = false;
      for (const place of closure(state, kind)) {
        if (kinds[place] === MATCH) {
          isMatch = true;
          if (!longest) break;
        } else if (accepting.has(program.details[place] ?? 0)) {
          const out = outs[place] ?? 0;
          if (added.add(out)) places.push(out);
        }
      }
      const isOpen = state.isOpen && !isMatch && symbol !== END;
      if (isOpen && added.add(start)) places.push(start);
      return { places, kind, isOpen, isMatch };
    },
    { first: start, skips: program.prefix !== "" },
  );
}

/** Follows instructions that take no character, from the places of a state, before a character of a kind. */
function closureOf(program: Program): (state: StateParts, after: number) => readonly number[] {
  const { kinds, outs, details, assertions } = program;
  const visited = new NumberSet(kinds.length);
  const stack: number[] = [];
  return ({ places, kind: before }, after) => {
    visited.clear();
    const reached: number[] = [];
    for (const place of places) {
      stack.push(place);
      for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
        if (!visited.add(at)) continue;
        const kind = kinds[at];
        if (kind === CHARACTER || kind === MATCH) {
          reached.push(at);
          continue;
        }
        const detail = details[at] ?? 0;
        if (kind === ASSERT && !holds(assertions[detail], before, after)) continue;
        if (kind === SPLIT) stack.push(detail);
        stack.push(outs[at] ?? 0);
      }
    }
    return reached;
  };
}
