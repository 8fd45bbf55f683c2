import type { FileSystem, ShellError, ShellOutput, ShellResult } from "@robota/runtime/ports";
import { guardFiles, guardGitFiles, guardWorktree } from "../files/guarded-files.ts";
import { lazyRunNetwork } from "../lazy-network.ts";
import type { NetworkOptions } from "../network.ts";
import { createRefusals } from "../refusals.ts";
import type { ShellState, StatefulShell } from "../session.ts";
import type { Host } from "./host.ts";

export type ExecOptions = Parameters<StatefulShell["exec"]>[1];

/** Time for an aborted command to stop before its worker is terminated. */
const STOP_MS = 200;
/** Time for a worker to load on a busy machine; the timeout of its first command starts afterwards. */
const START_MS = 20_000;
/** The longest delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Outcome of a command apart from its output. */
export type CommandExit = Omit<ShellResult, "stdout" | "stderr">;

/** The worker as one of its commands controls it. */
export interface CommandControl {
  /** Asks the worker to stop the command. */
  abort(): void;
  /** Terminates the worker. */
  kill(timedOut: boolean): void;
}

/** The host's state of a command that runs in the worker. */
export class WorkerCommand {
  /** The files and the network that the worker reaches for this command, under its rules. */
  readonly host: Host;
  /** Settles once, with `exit` or `fail`. */
  readonly result: Promise<ShellResult>;
  readonly #options: ExecOptions;
  readonly #control: CommandControl;
  readonly #refusals = createRefusals();
  readonly #output = { stdout: "", stderr: "" };
  #usedNetwork = false;
  readonly #outcome = Promise.withResolvers<ShellResult>();
  /** The error that `onOutput` threw; the command's own end reports it. */
  #listenerFailure: { error: unknown } | undefined;
  #killTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    fs: FileSystem,
    network: NetworkOptions,
    options: ExecOptions,
    control: CommandControl,
  ) {
    const { rules, signal } = options;
    const { add } = this.#refusals;
    this.#options = options;
    this.#control = control;
    this.result = this.#outcome.promise;
    this.host = {
      fs: rules ? guardFiles(fs, rules, add) : fs,
      gitFs: rules && guardGitFiles(fs, rules, add),
      worktreeFs: rules && ((cloned) => guardWorktree(fs, rules, cloned, add)),
      network: lazyRunNetwork(network, rules, () => (this.#usedNetwork = true)),
      signal,
      rules,
    };
  }

  /** Starts the command's timeout, and stops it when its signal aborts. */
  watch(isWorkerReady: boolean): void {
    const { signal } = this.#options;
    this.boundTime(isWorkerReady);
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener("abort", this.#abort);
  }

  /** Starts the timeout anew; a worker that still loads gets time for it. */
  boundTime(isWorkerReady: boolean): void {
    const { timeoutMs, signal } = this.#options;
    if (timeoutMs === undefined || signal?.aborted) return;
    this.#killAfter(timeoutMs + STOP_MS + (isWorkerReady ? 0 : START_MS), true);
  }

  print(chunks: readonly ShellOutput[]): void {
    for (const chunk of chunks) this.#take(chunk);
  }

  exit(exit: CommandExit, state?: ShellState): void {
    this.#release();
    const text = this.#refusals.text();
    if (text !== "") this.#take({ stream: "stderr", text });
    if (state) this.#options.onExit?.(state);
    if (this.#listenerFailure) return this.#outcome.reject(this.#listenerFailure.error);
    const usedNetwork = this.#usedNetwork || undefined;
    this.#outcome.resolve({ ...this.#output, ...exit, usedNetwork });
  }

  fail(error: ShellError): void {
    this.#release();
    this.#outcome.reject(error);
  }

  readonly #abort = (): void => {
    this.#control.abort();
    this.#killAfter(STOP_MS, false);
  };

  #killAfter(ms: number, timedOut: boolean): void {
    clearTimeout(this.#killTimer);
    const delayMs = Math.min(ms, MAX_DELAY_MS);
    this.#killTimer = setTimeout(() => this.#control.kill(timedOut), delayMs);
  }

  #take(chunk: ShellOutput): void {
    this.#output[chunk.stream] += chunk.text;
    if (this.#listenerFailure) return;
    try {
      this.#options.onOutput?.(chunk);
    } catch (error) {
      this.#listenerFailure = { error };
    }
  }

  #release(): void {
    clearTimeout(this.#killTimer);
    this.#options.signal?.removeEventListener("abort", this.#abort);
  }
}
