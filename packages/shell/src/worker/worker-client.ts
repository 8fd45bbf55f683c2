import { ShellError, type FileSystem, type ShellResult } from "@robota/runtime/ports";
import type { GitOptions } from "../git/options.ts";
import type { NetworkOptions } from "../network.ts";
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
import { type ExecOptions, WorkerCommand } from "./worker-command.ts";

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

export interface ClientOptions extends Pick<StartOptions, "env" | "home" | "limits"> {
  createWorker: () => ShellWorker;
  fs: FileSystem;
  network: NetworkOptions;
  /** The options of `git` without its network, which is the host's. */
  git: Omit<GitOptions, "fetch" | "pinnedFetch">;
  /** Advice for a worker that could not start. */
  failureHint: string;
}

/** One worker for commands. When one of them must be terminated, the worker ends, and so do the others. */
export class WorkerClient {
  readonly #worker: ShellWorker;
  readonly #network: NetworkOptions;
  readonly #failureHint: string;
  readonly #running = new Map<number, WorkerCommand>();
  #lastId = 0;
  #isReady = false;
  #isOver = false;

  /** Starts the worker. */
  constructor({ createWorker, fs, network, git, env, home, limits, failureHint }: ClientOptions) {
    this.#worker = createWorker();
    this.#network = network;
    this.#failureHint = failureHint;
    this.#worker.onFailure((reason) => this.#fail(reason));
    this.#listen({ fs, network: {} });
    this.#worker.keepsAlive?.(false);
    const options: StartOptions = {
      env,
      home,
      limits,
      canFetch: network.fetch !== undefined,
      git: { ...git, canFetch: network.gitFetch !== undefined },
    };
    this.#worker.post({ type: "start", options }, []);
  }

  /** Number of commands that run on it now. */
  get load(): number {
    return this.#running.size;
  }

  /** True once the worker has ended; it accepts no more commands. */
  get isOver(): boolean {
    return this.#isOver;
  }

  exec(command: string, fs: FileSystem, options: ExecOptions): Promise<ShellResult> {
    const { timeoutMs, cwd, env, stdin, maxOutputBytes, rules } = options;
    const id = ++this.#lastId;
    const running = new WorkerCommand(fs, this.#network, options, {
      abort: () => this.#post({ type: "abort", id }),
      kill: (timedOut) => this.#kill(id, timedOut),
    });
    this.#running.set(id, running);
    if (this.#running.size === 1) this.#worker.keepsAlive?.(true);
    const limits = { timeoutMs, maxOutputBytes };
    const hasRules = rules !== undefined;
    this.#post({ type: "exec", id, command, cwd, env, stdin, ...limits, hasRules });
    running.watch(this.#isReady);
    return running.result;
  }

  terminate(): void {
    this.#close((command) => command.fail(new ShellError("The shell was disposed.")));
  }

  /** Receives the worker's messages; `shell` answers the calls of the shell itself. */
  #listen(shell: Host): void {
    const answer = answerCalls(
      (replies, transfer) => {
        if (!this.#isOver) this.#worker.post({ type: "replies", replies }, transfer);
      },
      (command) => (command === NO_COMMAND ? shell : this.#running.get(command)?.host),
    );
    this.#worker.listen((message) => {
      if (this.#isOver) return;
      if (message.type === "progress") this.#take(message.progress);
      else if (message.type === "calls") answer(message.calls);
      else {
        this.#isReady = true;
        for (const command of this.#running.values()) command.boundTime(true);
      }
    });
  }

  #post(command: CommandMessage): void {
    this.#worker.post({ type: "command", command }, []);
  }

  #take(progress: ProgressMessage): void {
    const command = this.#running.get(progress.id);
    if (progress.type === "output") return command?.print(progress.chunks);
    this.#running.delete(progress.id);
    if (this.#running.size === 0) this.#worker.keepsAlive?.(false);
    if (progress.type === "failed") {
      return command?.fail(new ShellError(progress.message, { hint: progress.hint }));
    }
    const { exitCode, timedOut, truncated, cwd, env, state } = progress;
    command?.exit({ exitCode, timedOut, truncated, cwd, env }, state);
  }

  #fail(reason: string): void {
    // The death of a busy worker, for example out of memory, is caused by a command.
    if (this.#isReady)
      return this.#close((command) => endKilled(command, `its worker failed: ${reason}`));
    const error = new ShellError(`The shell's worker failed: ${reason}`, {
      hint: this.#failureHint,
    });
    this.#close((command) => command.fail(error));
  }

  #kill(id: number, timedOut: boolean): void {
    this.#close((command, other) => {
      if (other !== id) endKilled(command, "another command of this shell had to be killed");
      else command.exit({ exitCode: timedOut ? 124 : 130, timedOut, truncated: false });
    });
  }

  #close(settle: (command: WorkerCommand, id: number) => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#worker.terminate();
    for (const [id, command] of this.#running) settle(command, id);
    this.#running.clear();
  }
}

function endKilled(command: WorkerCommand, why: string): void {
  command.print([{ stream: "stderr", text: `bash: killed, because ${why}\n` }]);
  command.exit({ exitCode: KILLED, timedOut: false, truncated: false });
}
