import {
  Bash,
  type EngineCommand,
  type EngineCommandContext,
  type EngineOptions,
  type EngineResult,
  type SecureFetch,
} from "#just-bash";
import type { AccessRules } from "@robota/runtime/ports";
import { toEngineCommand } from "../command.ts";
import { addedCommands, configuredCommands } from "../commands/all.ts";
import { EngineFiles, isStandardInput } from "../files/engine-files.ts";
import { engineLimits } from "../limits.ts";
import { lazyRunNetwork } from "../lazy-network.ts";
import type { NetworkOptions, RunFetch, RunNetwork } from "../network.ts";
import type { VirtualShellOptions } from "../options.ts";

/** The state that the runs of one shell share. */
export interface Engine {
  readonly env: Record<string, string>;
  /** Commands by name: those of just-bash, then our own, then the caller's. */
  readonly commands: Map<string, EngineCommand>;
  /** Directories that a script may expect to exist. */
  readonly assumed: readonly string[];
  /** Creates the network of a run under these rules; `onAnswer` is called with each answer. */
  networkFor(rules: AccessRules | undefined, onAnswer: () => void): RunNetwork;
  /** Starts an interpreter for one run, with `env` exported in addition to the usual variables. */
  start(
    fs: EngineOptions["fs"],
    cwd: string,
    env: Readonly<Record<string, string>>,
    network: RunNetwork,
  ): Bash;
}

export function createEngine(options: VirtualShellOptions): Engine {
  const { fs: files, home = "/home/user", customCommands = [] } = options;
  const env = { HOME: home, SHELL: "/bin/bash", USER: "user", ...options.env };
  const limits = engineLimits(options.limits);
  const network = options.fetch ? { fetch: curlFetch(noNetwork) } : {};
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
    networkFor: (rules, onAnswer) => lazyRunNetwork(networkOptionsOf(options), rules, onAnswer),
    start: (fs, cwd, own, { curl = noNetwork }) => startLike(model, fs, cwd, own, curlFetch(curl)),
  };
}

/** Wraps a program so that it also finds its standard input at `/dev/stdin`. */
function reading(command: EngineCommand): EngineCommand {
  return Object.assign(Object.create(Object.getPrototypeOf(command)) as EngineCommand, command, {
    execute(args: string[], context: EngineCommandContext): Promise<EngineResult> {
      if (!args.some(isStandardInput) || !(context.fs instanceof EngineFiles))
        return command.execute(args, context);
      // A function and not a copy: reading the input may have to wait for it.
      const fs = context.fs.withInput(() => context.stdin);
      const own = Object.create(context, { fs: { value: fs } }) as EngineCommandContext;
      return command.execute(args, own);
    },
  });
}

/**
 * Creates the equivalent of `new Bash` with the tables of `model`: rebuilding its hundred commands, limits and
 * variables costs more than a small script. The interpreter modifies none of the shared state.
 */
function startLike(
  model: Bash,
  fs: EngineOptions["fs"],
  cwd: string,
  env: Readonly<Record<string, string>>,
  secureFetch: SecureFetch,
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
  bash.secureFetch = secureFetch;
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

function networkOptionsOf(options: VirtualShellOptions): NetworkOptions {
  const { fetch, pinnedFetch, git = {}, policy } = options;
  const { fetch: gitFetch, pinnedFetch: gitPinnedFetch, corsProxy } = git;
  return { fetch, pinnedFetch, gitFetch, gitPinnedFetch, corsProxy, policy };
}

/** A placeholder until the shell runs, so that the interpreter offers `curl`. */
const noNetwork: RunFetch = () => Promise.reject(new Error("This shell has no network."));

function curlFetch(fetch: RunFetch): SecureFetch {
  return async (url, { method = "GET", headers = {}, body, ...options } = {}) => {
    const { followRedirects: follows = true, timeoutMs, signal } = options;
    const limits = [
      ...(signal ? [signal] : []),
      ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]),
    ];
    const request = { url, method, headers: Object.entries(headers), follows };
    const sent = body === undefined ? undefined : new TextEncoder().encode(body).buffer;
    const answer = await fetch({ ...request, body: sent }, AbortSignal.any(limits));
    return {
      ...answer,
      headers: Object.fromEntries(answer.headers),
      body: new Uint8Array(answer.body),
    };
  };
}
