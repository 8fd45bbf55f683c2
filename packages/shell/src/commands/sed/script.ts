import type { GroupPattern } from "../search/pattern.ts";

export type Address =
  | { kind: "line"; line: number }
  | { kind: "last" }
  | { kind: "step"; first: number; step: number }
  /** An undefined pattern is the last one used. */
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

/** Text, a group, or a case conversion from here on. */
export type Piece = string | { group: number } | { letters: "U" | "L" | "u" | "l" | "E" };

export interface Command {
  name: string;
  from?: Address;
  to?: Address;
  isNegated: boolean;
  /** State of a range: open, until which line, and whether it ever was. */
  range: { isOpen: boolean; until: number; hasStarted: boolean };
  /** Text of `a i c`, a label or a file name. */
  text: string;
  number: number | undefined;
  substitution?: Substitution;
  letters?: ReadonlyMap<string, string>;
  /** The index of the matching `}`, for `{`. */
  end: number;
}
