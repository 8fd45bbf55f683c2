import type { Process } from "../run/process.ts";
import { endsProcess, type Signal } from "./signals.ts";

/** Sends a signal to a process: its trap runs behind the command that it runs, and without one it ends. */
export function deliver(target: Process, signal: Signal): void {
  const { state } = target;
  const command = state.traps.get(signal.name);
  const isTrapped = command !== undefined && signal.name !== "KILL";
  if (isTrapped ? command === "" : !endsProcess(signal)) return;
  if (!isTrapped && target.isEndable) target.run.ending.end(signal);
  else state.signals.push(signal);
  state.wake?.();
}

/** Waits for a promise, or for a signal. @returns `undefined` when a signal came first */
export async function untilSignal<Value>(
  { state }: Process,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  const isWoken = new Promise<undefined>((resolve) => {
    state.wake = () => resolve(undefined);
  });
  try {
    return await Promise.race([promise, isWoken]);
  } finally {
    state.wake = undefined;
  }
}
