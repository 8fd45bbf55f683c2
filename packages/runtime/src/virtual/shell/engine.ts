import { Bash, type EngineCommand, type SecureFetch } from "#just-bash";
import { toEngineCommand } from "./command.ts";
import { addedCommands, configuredCommands } from "./commands/all.ts";
import { EngineFiles } from "./engine-files.ts";
import { engineLimits } from "./limits.ts";
import type { VirtualShellOptions } from "./options.ts";

/** What the runs of one shell have in common. */
export interface Engine {
  readonly env: Record<string, string>;
  readonly limits: Record<string, number>;
  /** By name: those of just-bash, then our own, then the caller's. */
  readonly commands: Map<string, EngineCommand>;
  /** Directories that a script may take for granted. */
  readonly assumed: readonly string[];
  readonly fetch?: SecureFetch;
}

export function createEngine(options: VirtualShellOptions): Engine {
  const { fs: files, home = "/home/user", customCommands = [] } = options;
  const env = { HOME: home, SHELL: "/bin/bash", USER: "user", ...options.env };
  const limits = engineLimits(options.limits);
  const network = options.fetch ? { fetch: curlFetch(options.fetch) } : {};
  // Builds the table of commands once; each run gets an interpreter of its own that shares it.
  const bash = new Bash({
    fs: new EngineFiles(files, { runStatement: (_statement, run) => run() }),
    cwd: "/",
    env,
    executionLimits: limits,
    defenseInDepth: false,
    ...network,
  });
  for (const command of [...addedCommands, ...configuredCommands(options), ...customCommands]) {
    bash.registerCommand(toEngineCommand(command));
  }
  const assumed = ["/tmp", home];
  return { env, limits, commands: bash.commands, assumed, ...network };
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
