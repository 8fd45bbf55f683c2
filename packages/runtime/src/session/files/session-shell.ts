import type { FileSystem } from "../../ports/file-system.ts";
import type { Shell, ShellOptions, ShellResult } from "../../ports/shell.ts";

/** The shell of a session, which may switch to other files when the session is loaded. */
export class SessionShell implements Shell {
  #shell: Shell;
  /** Absent where the shell has none. */
  declare over?: (fs: FileSystem) => Shell;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.replace(shell);
  }

  get kind(): Shell["kind"] {
    return this.#shell.kind;
  }

  get beyondFiles(): readonly string[] {
    return this.#shell.beyondFiles ?? [];
  }

  replace(shell: Shell): void {
    this.#shell = shell;
    if (shell.over) this.over = shell.over.bind(shell);
    else delete this.over;
  }

  async load(): Promise<void> {
    await this.#shell.load?.();
  }

  exec(command: string, options: ShellOptions): Promise<ShellResult> {
    return this.#shell.exec(command, options);
  }
}
