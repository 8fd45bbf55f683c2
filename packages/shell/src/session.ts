import type { FileSystem, Shell, ShellOptions, ShellResult } from "@robota/runtime/ports";

/** State that a script leaves for the next one: its directory and exported variables. */
export interface ShellState {
  cwd: string;
  env: Record<string, string>;
}

/** A shell that can report the state at the end of a command. */
export interface StatefulShell extends Shell {
  exec(
    command: string,
    options: ShellOptions & { onExit?(state: ShellState): void },
  ): Promise<ShellResult>;
  over(fs: FileSystem): StatefulShell;
}

/** Commands in sequence, each starting in the directory and with the exported variables of the previous one. */
export interface ShellSession {
  readonly state: ShellState;
  exec(command: string, options?: Omit<ShellOptions, "cwd" | "env">): Promise<ShellResult>;
}

/**
 * Keeps the working directory and the exported environment from call to call. Functions, aliases, shell options and
 * unexported variables end with the command that set them. Calls run in order.
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
