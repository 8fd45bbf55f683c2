import { resolvePath } from "@robota/runtime/ports";
import { allSignalNames } from "../../jobs/signals.ts";
import { filesOf, type Process } from "../../run/process.ts";
import { dynamicNames } from "../../state/dynamic.ts";
import { IndexedArray } from "../../state/indexed-array.ts";
import { BUILTIN_NAMES, isBuiltin, KEYWORDS } from "../names.ts";
import { NAMED, SHOPT } from "../options.ts";

type Action = (process: Process, prefix: string) => Iterable<string> | Promise<Iterable<string>>;

const none: Action = () => [];

/** The names that actions find, in the order in which they are listed. */
const ACTIONS: Readonly<Record<string, Action>> = {
  alias: ({ state }) => state.aliases.keys(),
  arrayvar: ({ state: { variables } }) =>
    variables
      .names()
      .filter((name) => variables.get(name)?.value instanceof IndexedArray)
      .sort(),
  binding: none,
  builtin: () => [...BUILTIN_NAMES].sort(),
  disabled: ({ state }) => [...state.disabled].sort(),
  enabled: ({ state }) => [...BUILTIN_NAMES].filter((name) => isBuiltin(state, name)).sort(),
  export: ({ state }) => Object.keys(state.variables.exported()).sort(),
  function: ({ state }) => [...state.functions.keys()].sort(),
  helptopic: () => [...BUILTIN_NAMES, ...KEYWORDS].sort(),
  hostname: () => ["localhost"],
  job: runningJobs,
  keyword: () => KEYWORDS,
  running: runningJobs,
  setopt: () => NAMED,
  shopt: () => SHOPT,
  signal: allSignalNames,
  stopped: none,
  variable: ({ state }) => [...new Set([...state.variables.names(), ...dynamicNames()])].sort(),
  command: commandNames,
  file: (process, prefix) => pathsOf(process, prefix, false),
  user: () => ["root", "user"],
  group: () => ["root", "user"],
  service: none,
  directory: (process, prefix) => pathsOf(process, prefix, true),
};

export function isAction(name: string): boolean {
  return Object.hasOwn(ACTIONS, name);
}

/** The names of some actions that begin with a word. */
export async function namesOfActions(
  process: Process,
  actions: ReadonlySet<string>,
  prefix: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const [name, action] of Object.entries(ACTIONS)) {
    if (!actions.has(name)) continue;
    for (const one of await action(process, prefix)) if (one.startsWith(prefix)) found.push(one);
  }
  return found;
}

function runningJobs({ jobs }: Process): string[] {
  return jobs.own.map(({ text }) => text.split(" ")[0] ?? "");
}

/** The programs count for each of the two directories that they are in. */
function commandNames({ run, state }: Process): string[] {
  const programs = [...run.programs.keys()];
  const own = [...state.aliases.keys(), ...state.functions.keys(), ...BUILTIN_NAMES, ...KEYWORDS];
  return [...own, ...programs, ...programs];
}

async function pathsOf(process: Process, prefix: string, onlyDirectories: boolean) {
  const directory = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const entries = await filesOf(process)
    .readdir(resolvePath(process.state.cwd, directory || "."))
    .catch(() => []);
  return entries
    .filter(({ type }) => !onlyDirectories || type === "directory")
    .map(({ name }) => directory + name);
}
