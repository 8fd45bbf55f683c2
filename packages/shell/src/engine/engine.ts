import type { AccessRules } from "@robota/runtime/ports";
import { type ShellCommand, toEngineCommand } from "../command.ts";
import { addedCommands, configuredCommands } from "../commands/all.ts";
import { type ProgramLimits, programLimits, runLimits } from "../limits.ts";
import { lazyRunNetwork } from "../lazy-network.ts";
import type { NetworkOptions, RunNetwork } from "../network.ts";
import type { VirtualShellOptions } from "../options.ts";
import { ownPrograms } from "./programs/all.ts";
import { commandProgram } from "./programs/command-program.ts";
import { explained } from "./programs/help.ts";
import type { Limits } from "./run/budget.ts";
import type { Program } from "./run/process.ts";

/** The state that the runs of one shell share. */
export interface Engine {
  readonly env: Record<string, string>;
  /** Programs by name: the caller's in place of the shell's. */
  readonly programs: ReadonlyMap<string, Program>;
  /** Directories that a script may expect to exist. */
  readonly assumed: readonly string[];
  /** Creates the network of a run under these rules; `onAnswer` is called with each answer. */
  networkFor(rules: AccessRules | undefined, onAnswer: () => void): RunNetwork;
  /** Names of the caller's commands, which run in place of builtins too. */
  readonly replacedBuiltins: ReadonlySet<string>;
  readonly limits: Limits;
  readonly programLimits: ProgramLimits;
}

export function createEngine(options: VirtualShellOptions): Engine {
  const { home = "/home/user", customCommands = [] } = options;
  const env = { HOME: home, SHELL: "/bin/bash", USER: "user", ...options.env };
  const own = [...addedCommands, ...configuredCommands(options)].map(programOf);
  const programs = [...[...own, ...ownPrograms].map(explained), ...customCommands.map(programOf)];
  return {
    env,
    programs: new Map(programs.map((program) => [program.name, program])),
    replacedBuiltins: new Set(customCommands.map(({ name }) => name)),
    assumed: ["/tmp", home],
    limits: runLimits(options.limits),
    programLimits: programLimits(options.limits),
    networkFor: (rules, onAnswer) => lazyRunNetwork(networkOptionsOf(options), rules, onAnswer),
  };
}

function programOf(command: ShellCommand): Program {
  return commandProgram(toEngineCommand(command));
}

function networkOptionsOf(options: VirtualShellOptions): NetworkOptions {
  const { fetch, pinnedFetch, git = {}, policy } = options;
  const { fetch: gitFetch, pinnedFetch: gitPinnedFetch, corsProxy } = git;
  return { fetch, pinnedFetch, gitFetch, gitPinnedFetch, corsProxy, policy };
}
