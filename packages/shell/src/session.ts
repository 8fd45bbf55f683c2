import type { FileSystem, Shell, ShellOptions, ShellResult } from "@robota/runtime/ports";

/** What a script leaves behind for the next one: where it went and what it exported. */
export interface ShellState {
  cwd: string;
  env: Record<string, string>;
}

/** A shell that can tell the state at the end of a command. */
export interface StatefulShell extends Shell {
  exec(
    command: string,
    options: ShellOptions & { onExit?(state: ShellState): void },
  ): Promise<ShellResult>;
  over(fs: FileSystem): StatefulShell;
}

/** Commands one after another, each starting in the directory and with the exported variables of the one before. */
export interface ShellSession {
  readonly state: ShellState;
  exec(command: string, options?: Omit<ShellOptions, "cwd" | "env">): Promise<ShellResult>;
}

/**
 * Keeps the working directory and the exported environment from call to call. Functions, aliases, shell options and
 * variables that are not exported end with the command that set them. Calls run in the order in which they were made.
 */
export function createShellSession(
  shell: StatefulShell,
  start: { cwd: string; env?: Record<string, string> },
): ShellSession {
  let state: ShellState = { cwd: start.cwd, env: { ...start.env } };
  let last: Promise<unknown> = Promise.resolve();
  return {
    get state() {
      return state;
    },
    exec(command, options = {}) {
      const run = (): Promise<ShellResult> =>
        shell.exec(command, {
          ...options,
          cwd: state.cwd,
          env: state.env,
          onExit: (left) => (state = left),
        });
      const result = last.then(run, run);
      last = result;
      return result;
    },
  };
}
