import type { Program } from "./program.ts";

/** What a state is made of: the instructions that a search may be at, and what it knows of the character beside it. */
export interface StateParts {
  readonly places: readonly number[];
  /** Kind of the character that was read last. */
  readonly kind: number;
  /** True while a match may begin further on. */
  readonly isOpen: boolean;
  /** True when a match was found before the character that was read last. */
  readonly isMatch: boolean;
}

/** The next instruction that takes a character, and the slots to save the position in on the way to it. */
export interface Move {
  readonly place: number;
  readonly slots: readonly number[];
}

export interface State extends StateParts {
  /** Moves by where a walk is, as far as known. */
  moves: (Move | undefined)[] | undefined;
  /** States by the symbol that leads to them, as far as known. */
  readonly next: (State | undefined)[];
  /** True when a scan has to do more than to go on: at a match, at a dead end, and where it may skip text. */
  readonly isSpecial: boolean;
}

/** Numbers that all states together may hold, some megabytes. Then they are forgotten, and built again as needed. */
const MAX_SIZE = 400_000;
const STATE_SIZE = 32;
const MOVE_SIZE = 8;

/** A deterministic automaton whose states are built as texts lead to them. */
export class Automaton {
  readonly program: Program;
  readonly #follow: (state: State, symbol: number) => StateParts;
  /** Where a scan begins. */
  readonly #first: number;
  readonly #skips: boolean;
  #states = new Map<string, State>();
  /** Whence scans begin, by kind of character and whether they are open. */
  #beginnings: State[] = [];
  #size = 0;

  constructor(
    program: Program,
    follow: (state: State, symbol: number) => StateParts,
    { first, skips = false }: { first: number; skips?: boolean },
  ) {
    this.program = program;
    this.#follow = follow;
    this.#first = first;
    this.#skips = skips;
  }

  /** The state of a scan that begins beside a character of a kind. */
  begin(kind: number, isOpen = false): State {
    return (this.#beginnings[kind * 2 + (isOpen ? 1 : 0)] ??= this.state({
      places: [this.#first],
      kind,
      isOpen,
      isMatch: false,
    }));
  }

  /** The state that `symbol` leads to. */
  next(state: State, symbol: number): State {
    const known = state.next[symbol];
    if (known) return known;
    const next = this.state(this.#follow(state, symbol));
    this.#grow(Math.max(0, symbol + 1 - state.next.length));
    return (state.next[symbol] = next);
  }

  addMove(state: State, key: number, move: Move): void {
    const moves = (state.moves ??= []);
    this.#grow(MOVE_SIZE + move.slots.length + Math.max(0, key - moves.length));
    moves[key] = move;
  }

  #grow(size: number): void {
    this.#size += size;
    if (this.#size <= MAX_SIZE) return;
    this.#states = new Map();
    this.#beginnings = [];
    this.#size = size;
  }

  /** The state of these parts, which exists once. */
  state(parts: StateParts): State {
    const key = keyOf(parts);
    const known = this.#states.get(key);
    if (known) return known;
    this.#grow(parts.places.length * 2 + STATE_SIZE);
    const { places, isOpen, isMatch } = parts;
    const isStart = this.#skips && isOpen && places.length === 1;
    const state: State = {
      ...parts,
      moves: undefined,
      next: [],
      isSpecial: isMatch || isStart || places.length === 0,
    };
    this.#states.set(key, state);
    return state;
  }
}

function keyOf({ places, kind, isOpen, isMatch }: StateParts): string {
  let key = String.fromCharCode(kind + (isOpen ? 4 : 0) + (isMatch ? 8 : 0));
  for (const place of places) key += String.fromCharCode(place);
  return key;
}

/** A set of small numbers that is emptied at no cost. */
export class NumberSet {
  readonly #rounds: Uint32Array;
  #round = 0;

  constructor(size: number) {
    this.#rounds = new Uint32Array(size);
  }

  clear(): void {
    if (this.#round === 0xffff_ffff) this.#rounds.fill(0);
    this.#round = (this.#round + 1) >>> 0 || 1;
  }

  has(number: number): boolean {
    return this.#rounds[number] === this.#round;
  }

  /** Returns false if the number was there. */
  add(number: number): boolean {
    if (this.#rounds[number] === this.#round) return false;
    this.#rounds[number] = this.#round;
    return true;
  }
}
