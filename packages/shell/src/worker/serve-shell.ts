import { loadInterpreter } from "../load-interpreter.ts";
import type { VirtualShellOptions } from "../options.ts";
import { createProgress } from "./progress.ts";
import {
  type CommandMessage,
  type FromWorker,
  NO_COMMAND,
  type StartOptions,
  type WorkerPort,
  type ToWorker,
} from "./protocol.ts";
import { connectHost } from "./remote-host.ts";

/**
 * Runs in a worker, which is a thread or a process: commands over the files of the host at the other end of `port`,
 * until the worker ends. `customCommands` are those of `VirtualShellOptions`, which can't be sent to a worker.
 */
export function serveShell(
  port: WorkerPort<FromWorker, ToWorker>,
  custom: Pick<VirtualShellOptions, "customCommands"> = {},
): void {
  const { hostFor, take } = connectHost((calls) => port.post({ type: "calls", calls }, []));
  let run: ((message: CommandMessage) => void) | undefined;
  port.listen((message) => {
    if (message.type === "replies") take(message.replies);
    else if (message.type === "command") run?.(message.command);
    else {
      run = commandsOf(message.options, port, hostFor, custom);
      port.post({ type: "ready" }, []);
    }
  });
}

/** Handles the host's messages about commands. */
function commandsOf(
  { env, home, limits, canFetch, git }: StartOptions,
  port: WorkerPort<FromWorker, ToWorker>,
  hostFor: ReturnType<typeof connectHost>["hostFor"],
  custom: Pick<VirtualShellOptions, "customCommands">,
): (message: CommandMessage) => void {
  const { fs } = hostFor(NO_COMMAND);
  const { canFetch: canReachGit, ...gitOptions } = git;
  const interpreter = loadInterpreter({
    ...custom,
    fs,
    env,
    home,
    limits,
    // A placeholder that enables `curl`: its requests go through the host of each command.
    fetch: canFetch ? unreachable : undefined,
    git: gitOptions,
  });
  const running = new Map<number, AbortController>();

  const exec = async (message: Extract<CommandMessage, { type: "exec" }>): Promise<void> => {
    const { id, command, cwd, env: added, stdin, timeoutMs, maxOutputBytes } = message;
    const remote = hostFor(id);
    const controller = new AbortController();
    running.set(id, controller);
    const progress = createProgress(
      (progress) => port.post({ type: "progress", progress }, []),
      id,
    );
    try {
      const run = await interpreter();
      const options = {
        cwd,
        signal: controller.signal,
        env: added,
        stdin,
        timeoutMs,
        maxOutputBytes,
        onOutput: progress.output,
        onExit: progress.exit,
      };
      const judged = {
        refusesCommand: message.hasRules ? remote.refusesCommand : undefined,
        network: {
          curl: canFetch ? remote.fetch : undefined,
          git: canReachGit ? remote.gitFetch : undefined,
        },
      };
      const result = await run(
        {
          fs: remote.fs,
          gitFs: remote.gitFs,
          gitWorktree: remote.gitWorktree,
          present: new Set(),
        },
        command,
        options,
        judged,
      );
      progress.done(result);
    } catch (error) {
      progress.failed(error);
    } finally {
      running.delete(id);
    }
  };
  return (message) => {
    if (message.type === "abort") running.get(message.id)?.abort();
    else void exec(message);
  };
}

const unreachable: typeof globalThis.fetch = () =>
  Promise.reject(new Error("This worker has no network of its own."));
