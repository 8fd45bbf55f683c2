import {
  type BundledProgram,
  defaultLimits,
  type EngineCommand,
  type EngineCommandContext,
  type EngineResult,
  programs as bundledPrograms,
} from "#just-bash";
import type { AccessRules } from "@robota/runtime/ports";
import { toEngineCommand } from "../command.ts";
import { addedCommands, configuredCommands } from "../commands/all.ts";
import { programLimits, runLimits } from "../limits.ts";
import { lazyRunNetwork } from "../lazy-network.ts";
import type { NetworkOptions, RunNetwork } from "../network.ts";
import type { VirtualShellOptions } from "../options.ts";
import { ownPrograms } from "./programs/all.ts";
import { bundledProgram } from "./programs/bundled.ts";
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
  /** Limits of programs, in the bundle's terms. */
  readonly programLimits: Record<string, number>;
}

export function createEngine(options: VirtualShellOptions): Engine {
  const { home = "/home/user", customCommands = [] } = options;
  const env = { HOME: home, SHELL: "/bin/bash", USER: "user", ...options.env };
  const commands = new Map(bundledPrograms.map((program) => [program.name, onDemand(program)]));
  for (const command of [...addedCommands, ...configuredCommands(options)])
    commands.set(command.name, replacing(toEngineCommand(command), commands.get(command.name)));
  const programs = [
    ...[...Array.from(commands.values(), bundledProgram), ...ownPrograms].map(explained),
    ...customCommands.map((command) => bundledProgram(toEngineCommand(command))),
  ];
  return {
    env,
    programs: new Map(programs.map((program) => [program.name, program])),
    replacedBuiltins: new Set(customCommands.map(({ name }) => name)),
    assumed: ["/tmp", home],
    limits: runLimits(options.limits),
    programLimits: { ...defaultLimits, ...programLimits(options.limits) },
    networkFor: (rules, onAnswer) => lazyRunNetwork(networkOptionsOf(options), rules, onAnswer),
  };
}

function onDemand({ name, load }: BundledProgram): EngineCommand {
  return { name, execute: async (args, context) => (await load()).execute(args, context) };
}

/** A command that can run the one whose place it takes. */
function replacing(command: EngineCommand, original: EngineCommand | undefined): EngineCommand {
  if (!original) return command;
  return {
    name: command.name,
    execute(args, context) {
      const origCommand = (own: string[]): Promise<EngineResult> => original.execute(own, context);
      // A property of its own on the same context, whose input is a getter.
      const properties = { origCommand: { value: origCommand } };
      return command.execute(args, Object.create(context, properties) as EngineCommandContext);
    },
  };
}

function networkOptionsOf(options: VirtualShellOptions): NetworkOptions {
  const { fetch, pinnedFetch, git = {}, policy } = options;
  const { fetch: gitFetch, pinnedFetch: gitPinnedFetch, corsProxy } = git;
  return { fetch, pinnedFetch, gitFetch, gitPinnedFetch, corsProxy, policy };
}
