/** One line of the difference that a tool has made to a file. */
export interface IDiffLine {
  type: "add" | "remove" | "context";
  /** Without its line break, and without a sign in front. */
  text: string;
  /** From 1: in the new file, and for a removed line in the old one. */
  lineNumber: number;
}
