import {
  ShellError,
  type FileSystem,
  type ShellOutput,
  type ShellResult,
} from "@robota/runtime/ports";
import type { GitOptions } from "../git/options.ts";
import { guardFiles, guardGitFiles, guardWorktree } from "../files/guarded-files.ts";
import { lazyRunNetwork } from "../lazy-network.ts";
import type { NetworkOptions } from "../network.ts";
import { createRefusals } from "../refusals.ts";
import type { ShellState, StatefulShell } from "../session.ts";
import { answerCalls, type Host } from "./host.ts";
import {
  type CommandMessage,
  type FromWorker,
  NO_COMMAND,
  type ProgressMessage,
  type StartOptions,
  type WorkerPort,
  type ToWorker,
} from "./protocol.ts";

type ExecOptions = Parameters<StatefulShell["exec"]>[1];

/** Time for an aborted command to stop before its worker is terminated. */
const STOP_MS = 200;
/** Time for a worker to load on a busy machine; the timeout of its first command starts afterwards. */
const START_MS = 20_000;
/** The exit code of POSIX shells after a kill. */
const KILLED = 137;

/** The environment of `serveShell`: a thread of the platform, such as a `Worker`, or a process. */
export interface ShellWorker extends WorkerPort<ToWorker, FromWorker> {
  /**
   * Called once, before anything is posted; the listener gets the reason that the worker could not start, or ended by
   * itself.
   */
  onFailure(listener: (reason: string) => void): void;
  terminate(): void;
  /** Called with whether commands run in it, on hosts where a worker keeps the process alive. */
  keepsAlive?(isNeeded: boolean): void;
}

export interface WorkerClient {
  /** Number of commands that run on it now. */
  readonly load: number;
  /** True once the worker has ended; it accepts no more commands. */
  readonly isOver: boolean;
  exec(command: string, fs: FileSystem, options: ExecOptions): Promise<ShellResult>;
  terminate(): void;
}

export interface ClientOptions extends Pick<StartOptions, "env" | "home" | "limits"> {
  createWorker: () => ShellWorker;
  fs: FileSystem;
  network: NetworkOptions;
  /** The options of `git` without its network, which is the host's. */
  git: Omit<GitOptions, "fetch" | "pinnedFetch">;
  /** Advice for a worker that could not start. */
  failureHint: string;
}

/** The host's state of a command that runs in the worker. */
interface Running {
  readonly host: Host;
  /** Called once the worker has loaded. */
  begin(): void;
  output(chunks: readonly ShellOutput[]): void;
  exit(
    exit: Pick<ShellResult, "exitCode" | "timedOut" | "truncated" | "cwd" | "env">,
    state?: ShellState,
  ): void;
  fail(error: ShellError): void;
}

/** Starts one worker for commands. When one of them must be terminated, the worker ends, and so do the others. */
export function startWorker({
  createWorker,
  fs: files,
  network,
  git,
  env,
  home,
  limits,
  failureHint,
}: ClientOptions): WorkerClient {
  const worker = createWorker();
  const running = new Map<number, Running>();
  const host: Host = { fs: files, network: {} };
  let lastId = 0;
  let isOver = false;
  let hasStarted = false;

  const post = (command: CommandMessage): void => worker.post({ type: "command", command }, []);
  const close = (settle: (command: Running, id: number) => void): void => {
    if (isOver) return;
    isOver = true;
    worker.terminate();
    for (const [id, command] of running) settle(command, id);
    running.clear();
  };
  const endKilled = (command: Running, why: string): void => {
    command.output([{ stream: "stderr", text: `bash: killed, because ${why}\n` }]);
    command.exit({ exitCode: KILLED, timedOut: false, truncated: false });
  };
  const kill = (id: number, timedOut: boolean): void =>
    close((command, other) => {
      if (other === id)
        command.exit({ exitCode: timedOut ? 124 : 130, timedOut, truncated: false });
      else endKilled(command, "another command of this shell had to be killed");
    });
  const take = (progress: ProgressMessage): void => {
    const command = running.get(progress.id);
    if (progress.type === "output") return command?.output(progress.chunks);
    running.delete(progress.id);
    if (running.size === 0) worker.keepsAlive?.(false);
    if (progress.type === "exit") command?.exit(progress, progress.state);
    else command?.fail(new ShellError(progress.message, { hint: progress.hint }));
  };

  const answer = answerCalls(
    (replies, transfer) => {
      if (!isOver) worker.post({ type: "replies", replies }, transfer);
    },
    (command) => (command === NO_COMMAND ? host : running.get(command)?.host),
  );
  worker.onFailure((reason) => {
    // The death of a busy worker, for example out of memory, is caused by a command.
    if (hasStarted) return close((command) => endKilled(command, `its worker failed: ${reason}`));
    const error = new ShellError(`The shell's worker failed: ${reason}`, { hint: failureHint });
    close((command) => command.fail(error));
  });
  worker.listen((message) => {
    if (isOver) return;
    if (message.type === "progress") take(message.progress);
    else if (message.type === "calls") answer(message.calls);
    else {
      hasStarted = true;
      for (const command of running.values()) command.begin();
    }
  });
  worker.keepsAlive?.(false);
  const options: StartOptions = {
    env,
    home,
    limits,
    canFetch: network.fetch !== undefined,
    git: { ...git, canFetch: network.gitFetch !== undefined },
  };
  worker.post({ type: "start", options }, []);

  const exec = (command: string, fs: FileSystem, options: ExecOptions): Promise<ShellResult> =>
    new Promise((resolve, reject) => {
      const { signal, timeoutMs, cwd, env: added, stdin, maxOutputBytes, rules } = options;
      const id = ++lastId;
      const output = { stdout: "", stderr: "" };
      const refusals = createRefusals();
      let failure: { error: unknown } | undefined;
      let usedNetwork = false;
      let force: ReturnType<typeof setTimeout> | undefined;
      const forceAfter = (ms: number, timedOut: boolean): void => {
        clearTimeout(force);
        force = setTimeout(() => kill(id, timedOut), Math.min(ms, 2 ** 31 - 1));
      };
      const onAbort = (): void => {
        post({ type: "abort", id });
        forceAfter(STOP_MS, false);
      };
      const release = (): void => {
        clearTimeout(force);
        signal?.removeEventListener("abort", onAbort);
      };
      const take = (chunk: ShellOutput): void => {
        output[chunk.stream] += chunk.text;
        if (failure) return;
        try {
          options.onOutput?.(chunk);
        } catch (error) {
          failure = { error };
        }
      };
      const boundTime = (): void => {
        if (timeoutMs === undefined || signal?.aborted) return;
        forceAfter(timeoutMs + STOP_MS + (hasStarted ? 0 : START_MS), true);
      };
      running.set(id, {
        begin: boundTime,
        host: {
          fs: rules ? guardFiles(fs, rules, refusals.add) : fs,
          gitFs: rules && guardGitFiles(fs, rules, refusals.add),
          worktreeFs: rules && ((cloned) => guardWorktree(fs, rules, cloned, refusals.add)),
          network: lazyRunNetwork(network, rules, () => (usedNetwork = true)),
          signal,
          rules,
        },
        output: (chunks) => chunks.forEach(take),
        exit({ exitCode, timedOut, truncated, cwd, env }, state) {
          release();
          const text = refusals.text();
          if (text !== "") take({ stream: "stderr", text });
          if (state) options.onExit?.(state);
          if (failure) reject(failure.error);
          else
            resolve({
              ...output,
              exitCode,
              timedOut,
              truncated,
              ...(usedNetwork && { usedNetwork }),
              ...(cwd === undefined ? {} : { cwd }),
              ...(env ? { env } : {}),
            });
        },
        fail(error) {
          release();
          reject(error);
        },
      });
      if (running.size === 1) worker.keepsAlive?.(true);
      const hasRules = rules !== undefined;
      const limits = { timeoutMs, maxOutputBytes };
      post({ type: "exec", id, command, cwd, env: added, stdin, ...limits, hasRules });
      boundTime();
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort);
    });

  return {
    get load() {
      return running.size;
    },
    get isOver() {
      return isOver;
    },
    exec,
    terminate: () => close((command) => command.fail(new ShellError("The shell was disposed."))),
  };
}
