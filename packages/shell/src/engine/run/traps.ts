import { ShellExit } from "./control.ts";
import type { Process } from "./process.ts";

/** Runs the trap of `ERR`, and ends the shell under `set -e`, after a command that failed where that counts. */
export async function onFailure(process: Process, status: number): Promise<void> {
  if (status === 0 || process.toleratesFailure > 0) return;
  const { state } = process;
  const command = state.traps.get("ERR");
  const counts = state.frames.length === 0 || state.options.has("errtrace");
  if (command && counts) await runTrap(process, command);
  if (state.options.has("errexit")) throw new ShellExit(status);
}

/** Runs the command of a trap; the status stays what it was. */
export async function runTrap(process: Process, command: string): Promise<void> {
  if (process.isInTrap) return;
  const { status } = process.state;
  process.isInTrap = true;
  try {
    await process.run.interpreter.runText(process, command, { firstLine: process.state.line });
  } finally {
    process.isInTrap = false;
  }
  process.state.status = status;
}
