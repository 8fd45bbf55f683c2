import type { GroupPattern } from "../search/pattern.ts";

export type Address =
  | { kind: "line"; line: number }
  | { kind: "last" }
  | { kind: "step"; first: number; step: number }
  /** An empty expression is the last one that was used. */
  | { kind: "match"; pattern: GroupPattern | undefined }
  | { kind: "plus"; lines: number }
  | { kind: "multiple"; of: number };

export interface Substitution {
  pattern: GroupPattern | undefined;
  replacement: readonly Piece[];
  isGlobal: boolean;
  nth: number;
  isPrinted: boolean;
  isRun: boolean;
  file: string | undefined;
}

/** Text, a group, or where letters change their case from here on. */
export type Piece = string | { group: number } | { letters: "U" | "L" | "u" | "l" | "E" };

export interface Command {
  name: string;
  from?: Address;
  to?: Address;
  isNegated: boolean;
  /** Whether a range is open, and until which line. */
  range: { isOpen: boolean; until: number };
  /** Text of `a i c`, a label, a file name. */
  text: string;
  number: number | undefined;
  substitution?: Substitution;
  letters?: ReadonlyMap<string, string>;
  /** Of `{`: the index of its `}`. */
  end: number;
}
