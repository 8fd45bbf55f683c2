import type { Value } from "../values.ts";

/** The tree of a program. Positions are offsets in its text. */
export type Node =
  | { readonly type: "identity" }
  | { readonly type: "index"; readonly of: Node; readonly key: Node }
  | {
      readonly type: "slice";
      readonly of: Node;
      readonly from: Node | undefined;
      readonly to: Node | undefined;
    }
  | { readonly type: "iterate"; readonly of: Node }
  | { readonly type: "literal"; readonly value: Value }
  | { readonly type: "string"; readonly format: string; readonly parts: readonly (string | Node)[] }
  | { readonly type: "format"; readonly name: string }
  | { readonly type: "array"; readonly body: Node | undefined }
  | { readonly type: "object"; readonly entries: readonly (readonly [key: Node, value: Node])[] }
  | { readonly type: "negate"; readonly of: Node }
  | { readonly type: "pipe" | "comma" | "and" | "or" | "alternative"; left: Node; right: Node }
  | { readonly type: "binary"; readonly operator: BinaryOperator; left: Node; right: Node }
  | { readonly type: "assign"; readonly operator: string; left: Node; right: Node }
  | { readonly type: "if"; readonly condition: Node; body: Node; otherwise: Node | undefined }
  | { readonly type: "try"; readonly body: Node; readonly handler: Node | undefined }
  | {
      readonly type: "reduce";
      readonly source: Node;
      readonly patterns: readonly Pattern[];
      readonly start: Node;
      readonly update: Node;
    }
  | {
      readonly type: "foreach";
      readonly source: Node;
      readonly patterns: readonly Pattern[];
      readonly start: Node;
      readonly update: Node;
      readonly extract: Node | undefined;
    }
  | {
      readonly type: "bind";
      readonly source: Node;
      readonly patterns: readonly Pattern[];
      readonly body: Node;
    }
  | { readonly type: "define"; readonly definition: Definition; readonly body: Node }
  | { readonly type: "call"; readonly name: string; readonly args: readonly Node[]; at: number }
  | { readonly type: "variable"; readonly name: string; readonly at: number }
  | { readonly type: "label"; readonly name: string; readonly body: Node }
  | { readonly type: "break"; readonly name: string; readonly at: number };

export type NodeOf<Type extends Node["type"]> = Extract<Node, { type: Type }>;

export type BinaryOperator = "+" | "-" | "*" | "/" | "%" | "==" | "!=" | "<" | "<=" | ">" | ">=";

export type Pattern =
  | { readonly type: "variable"; readonly name: string }
  | { readonly type: "array"; readonly items: readonly Pattern[] }
  | { readonly type: "object"; readonly entries: readonly PatternEntry[] };

export interface PatternEntry {
  readonly key: Node;
  /** A variable that takes the value as a whole, besides the pattern. */
  readonly name: string | undefined;
  readonly pattern: Pattern | undefined;
}

export interface Definition {
  readonly name: string;
  readonly params: readonly string[];
  readonly body: Node;
}

/** Statement of a program about another one, or about data, that it needs. */
export interface Import {
  readonly path: string;
  /** The name behind `as`; missing for `include`. */
  readonly name: string | undefined;
  readonly isData: boolean;
  /** Directories in place of those of the command. */
  readonly search: Value | undefined;
  readonly at: number;
}

export interface Program {
  readonly imports: readonly Import[];
  readonly definitions: readonly Definition[];
  /** Missing in a library. */
  readonly body: Node | undefined;
}

/** A program that is not valid. */
export class ProgramError extends Error {
  override readonly name = "ProgramError" as const;
  /** Offset in the program. */
  readonly at: number;
  /** The text that it is in, and its file. */
  origin?: { readonly source: string; readonly file: string | undefined };

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}
