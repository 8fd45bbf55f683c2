import { type Alphabet, holds } from "./alphabet.ts";
import { Automaton, type StateParts, NumberSet, type State } from "./automaton.ts";
import { ASSERT, CHARACTER, END_PLACE, type Program } from "./program.ts";

/**
 * Reads a text backward from the end of a match. Places are the instructions that can take the character read last and
 * then reach the end; a match is found where the start of the program can reach one of them.
 */
export function backwardAutomaton(program: Program, alphabet: Alphabet): Automaton {
  const { kinds, details, assertions, sources, start } = program;
  const accepting = new NumberSet(program.sets.length);
  const visited = new NumberSet(kinds.length);
  const follow = (state: State, symbol: number): StateParts => {
    const kind = alphabet.kinds[symbol] ?? 0;
    accepting.clear();
    for (const set of alphabet.accepting[symbol] ?? []) accepting.add(set);
    visited.clear();
    const places: number[] = [];
    const stack = [...state.places];
    for (const place of stack) visited.add(place);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      for (const source of sources[at] ?? []) {
        const detail = details[source] ?? 0;
        if (kinds[source] === CHARACTER) {
          if (accepting.has(detail)) places.push(source);
        } else if (
          (kinds[source] !== ASSERT || holds(assertions[detail], kind, state.kind)) &&
          visited.add(source)
        ) {
          stack.push(source);
        }
      }
    }
    return { places, kind, isOpen: false, isMatch: visited.has(start) };
  };
  return new Automaton(program, follow, { first: END_PLACE });
}
