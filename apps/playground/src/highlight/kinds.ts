/** Kinds of parts of code, by their colours. */
export type Kind = "keyword" | "string" | "comment" | "number" | "name";

/** A part of a text that has a colour. */
export interface Piece {
  from: number;
  to: number;
  kind: Kind;
}

/** Finds the coloured parts of a text step by step, so that its caller can pause between steps. */
export type Colorer = (text: string) => Generator<void, readonly Piece[]>;
