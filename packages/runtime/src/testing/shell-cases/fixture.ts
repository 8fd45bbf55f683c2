import type { FileSystem } from "../../ports/file-system.ts";
import type { Shell, ShellOptions, ShellResult } from "../../ports/shell.ts";

/** A shell to try, for `shellContract`. Disposed, when it can be, at the end of its case. */
export interface ShellFixture extends Partial<AsyncDisposable> {
  readonly shell: Shell;
  /** The files that the shell's commands work on. */
  readonly fs: FileSystem;
  /** An empty directory in `fs`, where the commands start. */
  readonly cwd: string;
}

export function run(
  { shell, cwd }: ShellFixture,
  command: string,
  options: Partial<ShellOptions> = {},
): Promise<ShellResult> {
  return shell.exec(command, { cwd, ...options });
}
