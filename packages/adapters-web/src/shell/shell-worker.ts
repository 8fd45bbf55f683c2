import { VirtualShell } from "@robota/runtime/virtual";
import { createProgress } from "./progress.ts";
import { type CommandMessage, NO_COMMAND, type StartMessage } from "./protocol.ts";
import { connectHost } from "./remote-host.ts";

/** The worker of `workerShell`: runs commands over the files of the page that started it. */
function start({ commands, host, env, home, limits, canFetch, git }: StartMessage): void {
  const connect = connectHost(host);
  const { fs, fetch, gitFetch } = connect(NO_COMMAND);
  const { canFetch: canReachGit, ...gitOptions } = git;
  const shell = new VirtualShell({
    fs,
    env,
    ...(home === undefined ? {} : { home }),
    ...(limits ? { limits } : {}),
    ...(canFetch ? { fetch } : {}),
    git: { ...gitOptions, ...(canReachGit ? { fetch: gitFetch } : {}) },
  });
  const running = new Map<number, AbortController>();

  const exec = async (message: Extract<CommandMessage, { type: "exec" }>): Promise<void> => {
    const { id, command, cwd, env: added, stdin, timeoutMs, maxOutputBytes } = message;
    const remote = connect(id);
    const controller = new AbortController();
    running.set(id, controller);
    const progress = createProgress(commands, id);
    try {
      const result = await shell.over(remote.fs).exec(command, {
        cwd,
        signal: controller.signal,
        ...(added ? { env: added } : {}),
        ...(stdin === undefined ? {} : { stdin }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }),
        ...(message.hasRules ? { refusesCommand: remote.refusesCommand } : {}),
        onOutput: progress.output,
        onExit: progress.exit,
      });
      progress.done(result);
    } catch (error) {
      progress.failed(error);
    } finally {
      running.delete(id);
    }
  };
  commands.addEventListener("message", ({ data }: MessageEvent<CommandMessage>) => {
    if (data.type === "abort") running.get(data.id)?.abort();
    else void exec(data);
  });
  commands.start();
}

addEventListener("message", ({ data }: MessageEvent<StartMessage>) => start(data), { once: true });
