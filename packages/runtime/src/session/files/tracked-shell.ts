import type { FileSystem } from "../../ports/file-system.ts";
import type { Shell, ShellOptions, ShellResult } from "../../ports/shell.ts";
import type { FileHistory } from "./file-history.ts";
import type { WorkspaceIndex } from "./workspace-index.ts";

const NOT_LOOKING = Promise.resolve();

/**
 * A native shell, whose programs change files unobserved: the workspace is scanned before and after each command, and
 * previous versions of changed files are recorded.
 */
export class TrackedShell implements Shell {
  readonly kind: Shell["kind"];
  readonly #shell: Shell;
  /** The files that its programs work on. */
  readonly #fs: FileSystem;
  readonly #history: FileHistory;
  #index: WorkspaceIndex | undefined;
  #running = 0;
  /** One scan at a time. */
  #looking: Promise<unknown> = NOT_LOOKING;

  constructor(shell: Shell, fs: FileSystem, history: FileHistory) {
    this.kind = shell.kind;
    this.#shell = shell;
    this.#fs = fs;
    this.#history = history;
  }

  async exec(command: string, options: ShellOptions): Promise<ShellResult> {
    // Changes while no command runs are foreign; a rewind leaves them alone.
    await this.#look(this.#running > 0, options.signal);
    this.#running += 1;
    try {
      return await this.#shell.exec(command, options);
    } finally {
      this.#running -= 1;
      await this.#look(true);
    }
  }

  #look(isOurs: boolean, signal?: AbortSignal): Promise<void> {
    const look = this.#looking.then(async () => {
      this.#index ??= await this.#load();
      if (this.#index.isTooLarge) return;
      const before = await this.#index.refresh(signal ?? new AbortController().signal);
      if (this.#index.isTooLarge) this.#history.noteTooLarge();
      else if (isOurs) {
        this.#history.noteUncovered(this.#index.uncovered);
        if (before.length > 0) await this.#history.recordChanged(before);
      }
    });
    this.#looking = look.catch(() => undefined);
    return look;
  }

  /** Only native shells need it, so pages and workers never load it. */
  async #load(): Promise<WorkspaceIndex> {
    const { WorkspaceIndex: Index } = await import("./workspace-index.ts");
    return new Index(this.#fs, this.#history.payloads, () => this.#history.root);
  }
}
