/** One line of the diff of a tool's change to a file. */
export interface IDiffLine {
  type: "add" | "remove" | "context";
  /** Text without the line break and the sign. */
  text: string;
  /** Line number from 1: in the new file, or in the old one for a removed line. */
  lineNumber: number;
}
