import {
  Bash,
  type EngineCommand,
  type EngineCommandContext,
  type EngineOptions,
  type EngineResult,
  type SecureFetch,
} from "#just-bash";
import { toEngineCommand } from "./command.ts";
import { addedCommands, configuredCommands } from "./commands/all.ts";
import { EngineFiles, isStandardInput } from "./engine-files.ts";
import { engineLimits } from "./limits.ts";
import type { VirtualShellOptions } from "./options.ts";

/** What the runs of one shell have in common. */
export interface Engine {
  readonly env: Record<string, string>;
  /** By name: those of just-bash, then our own, then the caller's. */
  readonly commands: Map<string, EngineCommand>;
  /** Directories that a script may take for granted. */
  readonly assumed: readonly string[];
  /** An interpreter for one run, with `env` exported beside what every run has. */
  start(fs: EngineOptions["fs"], cwd: string, env: Readonly<Record<string, string>>): Bash;
}

export function createEngine(options: VirtualShellOptions): Engine {
  const { fs: files, home = "/home/user", customCommands = [] } = options;
  const env = { HOME: home, SHELL: "/bin/bash", USER: "user", ...options.env };
  const limits = engineLimits(options.limits);
  const network = options.fetch ? { fetch: curlFetch(options.fetch) } : {};
  const model = new Bash({
    fs: new EngineFiles(files, { runStatement: (_statement, run) => run() }),
    cwd: "/",
    env,
    executionLimits: limits,
    defenseInDepth: false,
    ...network,
  });
  for (const command of [...addedCommands, ...configuredCommands(options), ...customCommands]) {
    model.registerCommand(toEngineCommand(command));
  }
  for (const command of model.commands.values()) model.commands.set(command.name, reading(command));
  return {
    env,
    commands: model.commands,
    assumed: ["/tmp", home],
    start: (fs, cwd, own) => startLike(model, fs, cwd, own),
  };
}

/** A program that finds its standard input at `/dev/stdin` too. */
function reading(command: EngineCommand): EngineCommand {
  return Object.assign(Object.create(Object.getPrototypeOf(command)) as EngineCommand, command, {
    execute(args: string[], context: EngineCommandContext): Promise<EngineResult> {
      if (!args.some(isStandardInput) || !(context.fs instanceof EngineFiles))
        return command.execute(args, context);
      // Not a copy: it is asked for its input when the program reads it, which may have to wait.
      const fs = context.fs.withInput(() => context.stdin);
      const own = Object.create(context, { fs: { value: fs } }) as EngineCommandContext;
      return command.execute(args, own);
    },
  });
}

/**
 * What `new Bash` would make, with the tables of `model`: to build its hundred commands, limits and variables again
 * costs more than a small script. The interpreter changes none of what is shared.
 */
function startLike(
  model: Bash,
  fs: EngineOptions["fs"],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Bash {
  const variables = new Map(model.state.env);
  const exported = new Set(model.state.exportedVars);
  variables.set("PWD", cwd).set("OLDPWD", cwd);
  for (const name of Object.keys(env)) {
    variables.set(name, env[name] ?? "");
    exported.add(name);
  }
  const bash: Bash = Object.assign(Object.create(Bash.prototype), model);
  bash.fs = fs;
  bash.state = {
    ...model.state,
    cwd,
    env: variables,
    exportedVars: exported,
    startTime: Date.now(),
    hashTable: new Map(),
  };
  return bash;
}

function curlFetch(fetch: typeof globalThis.fetch): SecureFetch {
  return async (url, { method, headers, body, followRedirects, timeoutMs, signal } = {}) => {
    const limits = [
      ...(signal ? [signal] : []),
      ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]),
    ];
    const response = await fetch(url, {
      redirect: followRedirects === false ? "manual" : "follow",
      signal: AbortSignal.any(limits),
      ...(method === undefined ? {} : { method }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    });
    return {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
      url: response.url,
    };
  };
}
