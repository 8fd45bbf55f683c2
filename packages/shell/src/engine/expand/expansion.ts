import type { FileSystem } from "@robota/runtime/ports";
import type { ShellState } from "../state/shell-state.ts";
import type { CommandSubstitution, ProcessSubstitution, Word } from "../syntax/word.ts";

/** The limits of what an expansion makes; each ends the run when it is exceeded. */
export interface ExpansionBounds {
  words(count: number, kind?: string): void;
  /** @param length In UTF-16 code units. */
  text(length: number): void;
  /** Lets others have their turn when it is time, and ends after an abort. Await the result, unless it is `undefined`. */
  turn(): Promise<void> | undefined;
}

/** The part of the shell that expansions need. */
export interface ExpansionHost {
  readonly state: ShellState;
  readonly bounds: ExpansionBounds;
  readonly files: Pick<FileSystem, "readdir" | "lstat" | "stat">;
  /** Runs the commands of `$(…)`, and returns their output without newlines at the end. */
  substitute(part: CommandSubstitution): Promise<string>;
  /** Starts the commands of `<(…)`, and returns the path to reach them at. */
  startProcess(part: ProcessSubstitution): Promise<string>;
}

/** Expands the words in parameters, as those around them are expanded. */
export interface WordExpander extends ExpansionHost {
  /** A word as text: not split, and without patterns. */
  text(word: Word): Promise<string>;
  /** A word as a pattern: quoted characters are escaped. */
  pattern(word: Word): Promise<string>;
  /** A word as a replacement: quoted characters are escaped that would stand for something else. */
  replacement(word: Word): Promise<string>;
  arithmetic(word: Word): Promise<bigint>;
}

export function separatorsOf(state: ShellState): string {
  const value = state.variables.get("IFS")?.value;
  return typeof value === "string" ? value : " \t\n";
}
