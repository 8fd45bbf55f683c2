import { type Alphabet, END, widthBefore } from "./alphabet.ts";
import type { Automaton, State } from "./automaton.ts";

/** Reads from `at` and returns the end of the best match; the first end that is found with `isAnyEnough`. */
export function scanForward(
  automaton: Automaton,
  alphabet: Alphabet,
  {
    text,
    at: from,
    state: first,
    isAnyEnough = false,
  }: { text: string; at: number; state: State; isAnyEnough?: boolean },
): number | undefined {
  const { ascii } = alphabet;
  const { prefix } = automaton.program;
  let state = first;
  let end: number | undefined;
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    let width = 1;
    let symbol = code < 128 ? (ascii[code] ?? 0) : 0;
    if (symbol === 0) {
      symbol = alphabet.symbolAt(text, at);
      if (code > 0xd7ff && code < 0xdc00 && (text.codePointAt(at) ?? 0) > 0xffff) width = 2;
    }
    const next = state.next[symbol] ?? automaton.next(state, symbol);
    if (next.isSpecial) {
      if (next.isMatch) {
        end = at;
        if (isAnyEnough) return end;
      }
      if (next.places.length === 0) return end;
      if (next.isOpen && prefix !== "" && !next.isMatch) {
        const start = text.indexOf(prefix, at + width);
        if (start < 0) return end;
        if (start > at + width) {
          at = start;
          state = automaton.begin(alphabet.kindBefore(text, at), true);
          continue;
        }
      }
    }
    if (symbol === END) return end;
    at += width;
    state = next;
  }
}

/** Reads backward from `at` to `from` and returns the first position where a match starts. */
export function scanBackward(
  automaton: Automaton,
  alphabet: Alphabet,
  {
    text,
    from,
    at: last,
    state: first,
    visit,
  }: {
    text: string;
    from: number;
    at: number;
    state: State;
    visit?: (state: State, position: number) => void;
  },
): number | undefined {
  const { ascii } = alphabet;
  let state = first;
  let at = last;
  let start: number | undefined;
  for (;;) {
    visit?.(state, at);
    const code = at > 0 ? text.charCodeAt(at - 1) : 0;
    const width = code < 128 ? 1 : widthBefore(text, at, from);
    let symbol = at > 0 && code < 128 ? (ascii[code] ?? 0) : END;
    if (symbol === END && at > 0) symbol = alphabet.symbolAt(text, at - width);
    const next = state.next[symbol] ?? automaton.next(state, symbol);
    if (next.isMatch) start = at;
    if (at === from || next.places.length === 0) return start;
    at -= width;
    state = next;
  }
}
