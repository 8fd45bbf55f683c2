import type { ShellState } from "../state/shell-state.ts";
import { ShellExit } from "./control.ts";
import type { Process } from "./process.ts";
import { oneLevelDeeper } from "./trace.ts";

/** The events whose traps are in the line that they happen in. */
const LINED: ReadonlySet<string> = new Set(["DEBUG", "ERR", "RETURN", "EXIT"]);

/**
 * Runs the trap of `ERR`, and ends the shell under `set -e`, after a command that failed where that counts.
 * @param wasTrapped There was a trap before the command ran, which itself may set one
 */
export async function onFailure(
  process: Process,
  status: number,
  wasTrapped: boolean,
): Promise<void> {
  if (status === 0 || process.toleratesFailure > 0) return;
  if (wasTrapped) await runTrap(process, "ERR");
  if (process.state.options.has("errexit")) throw new ShellExit(status);
}

/**
 * Notes the command that is about to run, and its line, and runs the trap of `DEBUG`. Await the result, unless it is
 * `undefined`.
 */
export function announceAt(
  process: Process,
  { line, text }: { readonly line: number; readonly text: string },
): Promise<void> | undefined {
  const { state, runningTraps } = process;
  if (state.signals.length > 0)
    return runSignalTraps(process).then(() => announceAt(process, { line, text }));
  state.line = line;
  if (runningTraps.size === 0) state.command = text;
  return state.traps.has("DEBUG") ? runTrap(process, "DEBUG") : undefined;
}

/** Runs the traps of the signals that have come. @throws {ShellExit} for a signal that has none any more */
export async function runSignalTraps(process: Process): Promise<void> {
  const { signals, traps } = process.state;
  for (let signal = signals.shift(); signal; signal = signals.shift()) {
    if (!traps.has(signal.name)) throw new ShellExit(128 + signal.number);
    await runTrap(process, signal.name);
  }
}

/** Runs the command of a trap, unless it runs already. The statuses and the line stay what they were. */
export async function runTrap(process: Process, event: string): Promise<void> {
  const { state, runningTraps, run } = process;
  const command = state.traps.get(event);
  if (command === undefined || command === "" || runningTraps.has(event)) return;
  const { status, line } = state;
  const pipeStatus = state.variables.get("PIPESTATUS")?.value;
  runningTraps.add(event);
  try {
    const firstLine = LINED.has(event) ? line : 1;
    const runIt = (): Promise<number> => run.interpreter.runText(process, command, { firstLine });
    await (event === "EXIT" ? runIt() : oneLevelDeeper(process, runIt));
  } finally {
    runningTraps.delete(event);
  }
  Object.assign(state, { status, line });
  state.variables.set("PIPESTATUS", pipeStatus);
}

/** Puts traps out of force. @returns puts those back that have no other command by then */
export function hideTraps({ traps }: ShellState, events: readonly string[]): () => void {
  if (traps.size === 0) return () => {};
  const hidden = events.map((event) => [event, traps.get(event)] as const);
  for (const event of events) traps.delete(event);
  return () => {
    for (const [event, command] of hidden)
      if (command !== undefined && !traps.has(event)) traps.set(event, command);
  };
}
