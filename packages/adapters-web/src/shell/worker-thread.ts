import {
  createRefusals,
  type GitOptions,
  guardFiles,
  ShellError,
  type ShellState,
  type StatefulShell,
} from "@robota/runtime/virtual";
import type { FileSystem, ShellOutput, ShellResult } from "@robota/runtime";
import { type Host, serveHost } from "./host.ts";
import {
  type CommandMessage,
  NO_COMMAND,
  type ProgressMessage,
  type StartMessage,
} from "./protocol.ts";

type ExecOptions = Parameters<StatefulShell["exec"]>[1];

/** How long a command that was told to stop may go on before its worker is terminated. */
const STOP_MS = 200;
/** As in POSIX shells after a kill. */
const KILLED = 137;

export interface WorkerThread {
  /** Commands that run on it now. */
  readonly load: number;
  /** Its worker is gone; it takes no more commands. */
  readonly isOver: boolean;
  exec(command: string, fs: FileSystem, options: ExecOptions): Promise<ShellResult>;
  terminate(): void;
}

export interface ThreadOptions extends Pick<StartMessage, "env" | "home" | "limits"> {
  createWorker: () => Worker;
  host: Host;
  /** Without its network, which is the host's. */
  git: Omit<GitOptions, "fetch">;
}

/** What the page knows of a command that runs in the worker. */
interface Running {
  readonly host: Host;
  output(chunks: readonly ShellOutput[]): void;
  exit(
    exit: Pick<ShellResult, "exitCode" | "timedOut" | "truncated" | "cwd" | "env">,
    state?: ShellState,
  ): void;
  fail(error: ShellError): void;
}

/** One worker and the commands in it. When one of them has to be ended by force, the worker ends, and so do the others. */
export function startThread({
  createWorker,
  host,
  git,
  env,
  home,
  limits,
}: ThreadOptions): WorkerThread {
  const worker = createWorker();
  const [commands, files] = [new MessageChannel(), new MessageChannel()];
  const running = new Map<number, Running>();
  let lastId = 0;
  let isOver = false;

  const post = (message: CommandMessage): void => commands.port1.postMessage(message);
  const close = (settle: (command: Running, id: number) => void): void => {
    if (isOver) return;
    isOver = true;
    worker.terminate();
    commands.port1.close();
    files.port1.close();
    for (const [id, command] of running) settle(command, id);
    running.clear();
  };
  const kill = (id: number, timedOut: boolean): void =>
    close((command, other) => {
      if (other === id) {
        return command.exit({ exitCode: timedOut ? 124 : 130, timedOut, truncated: false });
      }
      const text = "bash: killed, because another command of this shell had to be ended by force\n";
      command.output([{ stream: "stderr", text }]);
      command.exit({ exitCode: KILLED, timedOut: false, truncated: false });
    });

  serveHost(files.port1, (command) => (command === NO_COMMAND ? host : running.get(command)?.host));
  commands.port1.addEventListener("message", ({ data }: MessageEvent<ProgressMessage>) => {
    const command = running.get(data.id);
    if (data.type === "output") return command?.output(data.chunks);
    running.delete(data.id);
    if (data.type === "exit") command?.exit(data, data.state);
    else command?.fail(new ShellError(data.message, { hint: data.hint }));
  });
  commands.port1.start();
  worker.addEventListener("error", (event) => {
    const error = new ShellError(
      `The shell's worker failed: ${event.message || "it did not load"}`,
      {
        hint: "Check that the page may load its worker (content security policy, connection).",
      },
    );
    close((command) => command.fail(error));
  });
  const start: StartMessage = {
    env,
    home,
    limits,
    canFetch: host.fetch !== undefined,
    git: { ...git, canFetch: host.gitFetch !== undefined },
    commands: commands.port2,
    host: files.port2,
  };
  worker.postMessage(start, [commands.port2, files.port2]);

  const exec = (command: string, fs: FileSystem, options: ExecOptions): Promise<ShellResult> =>
    new Promise((resolve, reject) => {
      const { signal, timeoutMs, cwd, env: added, stdin, maxOutputBytes, rules } = options;
      const id = ++lastId;
      const output = { stdout: "", stderr: "" };
      const refusals = createRefusals();
      let failure: { error: unknown } | undefined;
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
      running.set(id, {
        host: { ...host, fs: rules ? guardFiles(fs, rules, refusals.add) : fs, rules },
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
              ...(cwd === undefined ? {} : { cwd }),
              ...(env ? { env } : {}),
            });
        },
        fail(error) {
          release();
          reject(error);
        },
      });
      const hasRules = rules !== undefined;
      const limits = { timeoutMs, maxOutputBytes };
      post({ type: "exec", id, command, cwd, env: added, stdin, ...limits, hasRules });
      if (timeoutMs !== undefined) forceAfter(timeoutMs + STOP_MS, true);
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
