import { createCell, type Readable } from "@robota/react/store";
import type { FileSystem, Shell } from "@robota/runtime";
import { dirname } from "@robota/runtime/ports";
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

/** A person's line-mode terminal. It goes on while its panel is not shown. */
export interface Terminal {
  readonly state: Readable<TerminalState>;
  /** Runs a command line. The variables it exports and its directory hold for the next ones. */
  run: (command: string, on: ShellOnFiles) => Promise<void>;
  /** Ends the running command. */
  stop: () => void;
  clear: () => void;
  /** Completes the word that a line ends with. */
  complete: (before: string, on: ShellOnFiles) => Promise<Completion>;
}

/** Milliseconds for which output is collected before it is drawn. */
const DRAW_MS = 50;

export function createTerminal(root: string): Terminal {
  const state = createCell<TerminalState>({
    entries: [],
    history: [],
    cwd: root,
    isRunning: false,
  });
  let env: Record<string, string> = {};
  let next = 1;
  let running: AbortController | undefined;

  const change = (part: Partial<TerminalState>): void => state.set({ ...state.get(), ...part });
  const changeEntry = (id: number, work: (entry: ShellEntry) => ShellEntry): void =>
    change({
      entries: state.get().entries.map((entry) => (entry.id === id ? work(entry) : entry)),
    });

  async function run(command: string, { shell, fs }: ShellOnFiles): Promise<void> {
    if (running) return;
    const { entries, history, cwd } = state.get();
    const history2 = withCommand(history, command);
    if (command.trim() === "clear") return change({ entries: [], history: history2 });
    const id = next++;
    const entry: ShellEntry = { id, cwd, command, output: "", isCut: false };
    running = new AbortController();
    const { signal } = running;
    change({
      entries: [...entries, entry].slice(-ENTRY_LIMIT),
      history: history2,
      isRunning: true,
    });
    let pending = "";
    const draw = (): void => {
      if (pending) changeEntry(id, (each) => withOutput(each, pending));
      pending = "";
    };
    const timer = setInterval(draw, DRAW_MS);
    try {
      const result = await shell.exec(command, {
        cwd,
        env,
        signal,
        onOutput: ({ text }) => (pending += text),
      });
      draw();
      env = { ...env, ...exported(result.env) };
      changeEntry(id, (each) => ({ ...each, exitCode: result.exitCode }));
      change({ cwd: result.cwd ?? cwd });
    } catch (error) {
      draw();
      const present = await nearestDirectory(fs, cwd);
      const reason = error instanceof Error ? error.message : String(error);
      const isGone = present !== cwd;
      const failure = isGone
        ? `this directory is gone. You are in ${shownDirectory(present, root)} now.`
        : reason;
      // A command for the lost directory is not run in another one.
      if (isGone) change({ cwd: present });
      changeEntry(id, (each) => ({ ...each, failure }));
    } finally {
      clearInterval(timer);
      running = undefined;
      change({ isRunning: false });
    }
  }

  /** The output of a command that a person does not see. */
  async function outputOf(command: string, shell: Shell): Promise<string> {
    try {
      return (await shell.exec(command, { cwd: state.get().cwd, env })).stdout;
    } catch {
      // Its directory is gone, which the next command reports.
      return "";
    }
  }

  return {
    state,
    run,
    complete: (before, { shell }) => completeWord(before, (command) => outputOf(command, shell)),
    stop: () => running?.abort(),
    clear: () =>
      change({ entries: state.get().entries.filter(({ id }) => running && id === next - 1) }),
  };
}

function exported(env: Record<string, string | undefined> | undefined): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(env ?? {}))
    if (value !== undefined) found[name] = value;
  return found;
}

/** The directory, or the first one above it that exists. */
async function nearestDirectory(fs: FileSystem, path: string): Promise<string> {
  const type = await fs.stat(path).then(
    (stat) => stat.type,
    () => undefined,
  );
  return type === "directory" || path === "/" ? path : nearestDirectory(fs, dirname(path));
}
