/** A script that the grammar doesn't allow. `message` is in bash's words; line and column count from 1. */
export class ShellSyntaxError extends Error {
  override readonly name = "ShellSyntaxError" as const;
  readonly line: number;
  readonly column: number;
  /** The source line, for the message's second line. */
  readonly sourceLine: string;
  /** True when more text could complete the script. */
  readonly isIncomplete: boolean;
  /** True for an error within `$(…)` or `<(…)`. */
  isSubstitution = false;
  /** True for an error within `[[ ]]`, which bash reports without its line. */
  isOfTest = false;

  constructor(
    message: string,
    place: { line: number; column: number; sourceLine: string; isIncomplete: boolean },
  ) {
    super(message);
    this.line = place.line;
    this.column = place.column;
    this.sourceLine = place.sourceLine;
    this.isIncomplete = place.isIncomplete;
  }
}
