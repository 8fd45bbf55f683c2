import type { ShellState } from "../state/shell-state.ts";
import { ShellExit } from "./control.ts";
import type { Process } from "./process.ts";

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

/** Runs the command of a trap, unless it runs already; the status stays what it was. */
export async function runTrap(process: Process, event: string): Promise<void> {
  const { state, runningTraps, run } = process;
  const command = state.traps.get(event);
  if (command === undefined || command === "" || runningTraps.has(event)) return;
  const { status } = state;
  runningTraps.add(event);
  try {
    await run.interpreter.runText(process, command, { firstLine: state.line });
  } finally {
    runningTraps.delete(event);
  }
  state.status = status;
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
