import type { FileSystem } from "../../ports/file-system.ts";
import type { Shell, ShellOptions, ShellResult } from "../../ports/shell.ts";

/** The shell of a session, which may come to work on other files when the session is loaded. */
export class SessionShell implements Shell {
  #shell: Shell;
  over?: (fs: FileSystem) => Shell;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.replace(shell);
  }

  get kind(): Shell["kind"] {
    return this.#shell.kind;
  }

  replace(shell: Shell): void {
    this.#shell = shell;
    delete this.over;
    if (shell.over) this.over = shell.over.bind(shell);
  }

  exec(command: string, options: ShellOptions): Promise<ShellResult> {
    return this.#shell.exec(command, options);
  }
}
