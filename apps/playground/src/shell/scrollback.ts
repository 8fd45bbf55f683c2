/** One command as the panel shows it. */
export interface ShellEntry {
  id: number;
  /** Directory in which it began. */
  cwd: string;
  command: string;
  /** Both streams, in order of arrival; the oldest part is dropped beyond a limit. */
  output: string;
  /** True when the beginning of the output was dropped. */
  isCut: boolean;
  /** "dropped": a command before it was stopped or lost its directory, so it was not run. */
  phase: "waiting" | "running" | "ended" | "dropped";
  /** Missing until it has ended. */
  exitCode?: number;
  /** Why no shell could run it. */
  failure?: string;
}

/** Characters of one command's output that are kept. */
export const OUTPUT_LIMIT = 200_000;
/** Commands that are kept. */
export const ENTRY_LIMIT = 200;
/** Command lines that the arrow keys reach. */
const HISTORY_LIMIT = 500;

/** Adds output, and drops whole lines from its beginning where it grows too long. */
export function withOutput(entry: ShellEntry, text: string): ShellEntry {
  const output = entry.output + text;
  if (output.length <= OUTPUT_LIMIT) return { ...entry, output };
  const from = output.indexOf("\n", output.length - OUTPUT_LIMIT);
  const kept = output.slice(from < 0 ? output.length - OUTPUT_LIMIT : from + 1);
  return { ...entry, output: kept, isCut: true };
}

/** Adds a command line; the same one twice in a row counts once. */
export function withCommand(history: readonly string[], command: string): readonly string[] {
  if (command.trim() === "" || history.at(-1) === command) return history;
  return [...history, command].slice(-HISTORY_LIMIT);
}

/** The directory for a prompt: `~` stands for the workspace. */
export function shownDirectory(cwd: string, root: string): string {
  if (cwd === root) return "~";
  return cwd.startsWith(`${root}/`) ? `~${cwd.slice(root.length)}` : cwd;
}
