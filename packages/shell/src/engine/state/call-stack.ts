import type { Frame, ShellState } from "./shell-state.ts";

/** The name that bash has for functions outside of any file. */
const NO_FILE = "environment";

/** The functions and sourced scripts that run, the newest first, and the script at their end. */
export function callStack({ frames, script }: ShellState): readonly Frame[] {
  return script === undefined ? frames : [...frames, { name: "main", source: script, line: 0 }];
}

/** The file whose commands run. */
export function sourceOf({ frames, script }: ShellState): string {
  return frames[0]?.source ?? script ?? NO_FILE;
}

/** Reports whether a function runs, rather than only scripts. */
export function isInFunction({ frames }: ShellState): boolean {
  return frames.some(({ name }) => name !== "source");
}
