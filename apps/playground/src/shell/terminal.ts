import { createCell, type Readable } from "@robota/react/store";
import type { FileSystem, Shell } from "@robota/runtime";
import { dirname, type ShellOutput, type ShellResult } from "@robota/runtime/ports";
import { type Completion, completeWord } from "./complete-word.ts";
import {
  ENTRY_LIMIT,
  type ShellEntry,
  shownDirectory,
  withCommand,
  withOutput,
} from "./scrollback.ts";

export interface TerminalState {
  entries: readonly ShellEntry[];
  /** Command lines, oldest first. */
  history: readonly string[];
  cwd: string;
  isRunning: boolean;
}

/** A shell, and the files that it works on. */
export interface ShellOnFiles {
  readonly shell: Shell;
  readonly fs: FileSystem;
}

/** Milliseconds for which output is collected before it is drawn. */
const DRAW_MS = 50;

/** A person's line-mode terminal. It goes on while its panel is not shown. */
export class Terminal {
  readonly #state;
  readonly #root: string;
  /** Entries that wait for the commands before them. */
  readonly #waiting = new Set<number>();
  /** Ends with the last command that was entered. */
  #before: Promise<void> = Promise.resolve();
  #running: AbortController | undefined;
  #env: Record<string, string> = {};
  #next = 1;

  constructor(root: string) {
    this.#root = root;
    this.#state = createCell<TerminalState>({
      entries: [],
      history: [],
      cwd: root,
      isRunning: false,
    });
  }

  get state(): Readable<TerminalState> {
    return this.#state;
  }

  /**
   * Runs a command line, after those that were entered before it. The variables it exports and its
   * directory hold for the next ones. Resolves with its entry, unless that was cleared.
   */
  async run(command: string, on: ShellOnFiles): Promise<ShellEntry | undefined> {
    const id = this.#enter(command);
    const work = this.#before.then(async () => {
      if (this.#waiting.delete(id)) await this.#execute(id, command, on);
    });
    this.#before = work;
    await work;
    if (this.#before === work) this.#change({ isRunning: false });
    return this.#state.get().entries.find((entry) => entry.id === id);
  }

  /** Ends the running command, and gives up those that wait for it. */
  stop(): void {
    this.#dropWaiting();
    this.#running?.abort();
  }

  /** Removes the commands that have ended. */
  clear(): void {
    this.#change({ entries: this.#state.get().entries.filter(({ phase }) => isPending(phase)) });
  }

  /** Completes the word that a line ends with. */
  complete(before: string, { shell }: ShellOnFiles): Promise<Completion> {
    return completeWord(before, (command) => this.#outputOf(command, shell));
  }

  #change(part: Partial<TerminalState>): void {
    this.#state.set({ ...this.#state.get(), ...part });
  }

  #changeEntry(id: number, work: (entry: ShellEntry) => Partial<ShellEntry>): void {
    this.#change({
      entries: this.#state
        .get()
        .entries.map((entry) => (entry.id === id ? { ...entry, ...work(entry) } : entry)),
    });
  }

  /** Shows a command line, and remembers it. */
  #enter(command: string): number {
    const id = this.#next++;
    const { entries, history, cwd } = this.#state.get();
    const entry: ShellEntry = { id, cwd, command, output: "", isCut: false, phase: "waiting" };
    this.#waiting.add(id);
    this.#change({
      entries: [...entries, entry].slice(-ENTRY_LIMIT),
      history: withCommand(history, command),
      isRunning: true,
    });
    return id;
  }

  #dropWaiting(): void {
    for (const id of this.#waiting) this.#changeEntry(id, () => ({ phase: "dropped" }));
    this.#waiting.clear();
  }

  async #execute(id: number, command: string, { shell, fs }: ShellOnFiles): Promise<void> {
    const { cwd } = this.#state.get();
    const env = this.#env;
    if (command.trim() === "clear") {
      this.#changeEntry(id, () => ({ phase: "ended" }));
      return this.clear();
    }
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#changeEntry(id, () => ({ cwd, phase: "running" }));
    try {
      const result = await this.#drawn(id, (onOutput) =>
        shell.exec(command, { cwd, env, signal, onOutput }),
      );
      this.#env = withChanges(env, result.env);
      this.#changeEntry(id, () => ({ phase: "ended", exitCode: result.exitCode }));
      this.#change({ cwd: result.cwd ?? cwd });
    } catch (error) {
      const failure = await this.#failureOf(error, cwd, fs);
      this.#changeEntry(id, () => ({ phase: "ended", failure }));
    } finally {
      this.#running = undefined;
    }
  }

  /** Draws a command's output while it runs. */
  async #drawn(
    id: number,
    exec: (onOutput: (chunk: ShellOutput) => void) => Promise<ShellResult>,
  ): Promise<ShellResult> {
    let pending = "";
    const draw = (): void => {
      if (pending) this.#changeEntry(id, (entry) => withOutput(entry, pending));
      pending = "";
    };
    const timer = setInterval(draw, DRAW_MS);
    try {
      return await exec(({ text }) => (pending += text));
    } finally {
      clearInterval(timer);
      draw();
    }
  }

  /** Why no shell could run a command. Goes to the nearest directory that is still there. */
  async #failureOf(error: unknown, cwd: string, fs: FileSystem): Promise<string> {
    const present = await nearestDirectory(fs, cwd);
    if (present === cwd) return error instanceof Error ? error.message : String(error);
    // Commands meant for the lost directory are not run in another one.
    this.#change({ cwd: present });
    this.#dropWaiting();
    return `this directory is gone. You are in ${shownDirectory(present, this.#root)} now.`;
  }

  /** The output of a command that a person does not see. */
  async #outputOf(command: string, shell: Shell): Promise<string> {
    try {
      const { cwd } = this.#state.get();
      return (await shell.exec(command, { cwd, env: this.#env })).stdout;
    } catch {
      // Its directory is gone, which the next command reports.
      return "";
    }
  }
}

function isPending(phase: ShellEntry["phase"]): boolean {
  return phase === "waiting" || phase === "running";
}

/** The variables after a command: what it exported counts, and what it unset is gone. */
function withChanges(
  env: Record<string, string>,
  changes: Record<string, string | undefined> = {},
): Record<string, string> {
  const next = { ...env };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete next[name];
    else next[name] = value;
  }
  return next;
}

/** The directory, or the first one above it that exists. */
async function nearestDirectory(fs: FileSystem, path: string): Promise<string> {
  const type = await fs.stat(path).then(
    (stat) => stat.type,
    () => undefined,
  );
  return type === "directory" || path === "/" ? path : nearestDirectory(fs, dirname(path));
}
