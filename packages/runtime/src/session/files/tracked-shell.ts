import type { FileSystem } from "../../ports/file-system.ts";
import type { Shell, ShellOptions, ShellResult } from "../../ports/shell.ts";
import type { UncoveredFiles } from "./checkpoints.ts";
import type { FileBefore } from "./past-version.ts";
import type { Payloads } from "./payloads.ts";
import type { WorkspaceIndex } from "./workspace-index.ts";

export interface TrackedShellOptions {
  /** The files that its programs work on. */
  fs: FileSystem;
  payloads: Payloads;
  /** The directory whose files are followed. */
  root(): string;
  /** Takes down how files were. */
  record(files: readonly FileBefore[]): Promise<void>;
  /** Called once when the workspace is too large to be followed. */
  onTooLarge(): void;
  /** Called with paths whose changes are not found, after each command that may have made some. */
  onUncovered(files: readonly UncoveredFiles[]): void;
}

/**
 * A native shell, whose programs change files unobserved: the workspace is scanned before and after each command, and
 * previous versions of changed files are recorded.
 */
export class TrackedShell implements Shell {
  readonly kind: Shell["kind"];
  readonly #shell: Shell;
  readonly #options: TrackedShellOptions;
  #index: WorkspaceIndex | undefined;
  #running = 0;
  /** One scan at a time. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(shell: Shell, options: TrackedShellOptions) {
    this.kind = shell.kind;
    this.#shell = shell;
    this.#options = options;
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
      if (this.#index.isTooLarge) this.#options.onTooLarge();
      else if (isOurs) {
        this.#options.onUncovered(this.#index.uncovered);
        if (before.length > 0) await this.#options.record(before);
      }
    });
    this.#looking = look.catch(() => undefined);
    return look;
  }

  /** Only native shells need it, so pages and workers never load it. */
  async #load(): Promise<WorkspaceIndex> {
    const { WorkspaceIndex: Index } = await import("./workspace-index.ts");
    const { fs, payloads } = this.#options;
    return new Index(fs, payloads, () => this.#options.root());
  }
}
