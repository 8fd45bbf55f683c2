import type { CharacterSet } from "./character-set.ts";

/** Positions between characters, by what an assertion asks of them. */
export type Assertion = "text-start" | "text-end" | "line-start" | "line-end" | "word" | "no-word";

/** The parts of an expression. */
export type Node =
  | { readonly type: "set"; readonly set: CharacterSet }
  | { readonly type: "assertion"; readonly assertion: Assertion }
  | { readonly type: "group"; readonly index: number; readonly item: Node }
  | { readonly type: "sequence"; readonly items: readonly Node[] }
  | { readonly type: "choice"; readonly items: readonly Node[] }
  | Repetition;

export interface Repetition {
  readonly type: "repetition";
  readonly item: Node;
  readonly least: number;
  /** `Infinity` without a bound. */
  readonly most: number;
  readonly isLazy: boolean;
}

/** Thrown for an expression outside of the syntax of RE2, or one that is too large. */
export class LinearSyntaxError extends Error {
  override readonly name = "LinearSyntaxError" as const;
  /** Code units of the expression up to and with what is wrong. */
  readonly position: number;

  constructor(problem: string, position: number) {
    super(problem);
    this.position = position;
  }
}

/** Reports whether the part can match an empty text. */
export function isNullable(node: Node): boolean {
  if (node.type === "set") return false;
  if (node.type === "assertion") return true;
  if (node.type === "group") return isNullable(node.item);
  if (node.type === "repetition") return node.least === 0 || isNullable(node.item);
  return node.type === "sequence" ? node.items.every(isNullable) : node.items.some(isNullable);
}
