import type { FunctionDefinition } from "../syntax/tree.ts";
import { IndexedArray } from "./indexed-array.ts";
import type { VariableMemory } from "./variable-memory.ts";
import { VariableScopes } from "./variables.ts";

/** A function that runs, or a script that was sourced. */
export interface Frame {
  readonly name: string;
  /** The file that it is in. */
  readonly source: string;
  /** The line of the call. */
  readonly line: number;
}

/** The state that a subshell has a copy of. */
export interface ShellState {
  readonly variables: VariableScopes;
  readonly functions: Map<string, { definition: FunctionDefinition; source: string }>;
  readonly aliases: Map<string, string>;
  /** Commands by signal or event: `EXIT`, `ERR`, `INT`, … */
  readonly traps: Map<string, string>;
  /** Options of `set -o` and `shopt` that are on. */
  readonly options: Set<string>;
  /** Builtins out of force. */
  readonly disabled: Set<string>;
  /** `$0` */
  name: string;
  /** The file of the script that runs; `undefined` for a text, as of `bash -c`. */
  script: string | undefined;
  positional: readonly string[];
  cwd: string;
  /** Below the directory itself, the newest first. */
  directories: readonly string[];
  frames: readonly Frame[];
  status: number;
  /** `$_` */
  lastArgument: string;
  line: number;
  /** `$BASH_COMMAND` */
  command: string;
  /** `$!` */
  backgroundId: number | undefined;
  readonly shellId: number;
  /** `$BASHPID` */
  processId: number;
  /** `$BASH_SUBSHELL` */
  level: number;
  /** The start, in terms of `Date.now`, for `$SECONDS`. */
  startMs: number;
  getoptsOffset: number;
  /** Errors that end nothing, until they are reported: a subscript before the start of an array. */
  readonly warnings: string[];
}

const DEFAULT_OPTIONS = [
  "braceexpand",
  "hashall",
  "cmdhist",
  "patsub_replacement",
  "promptvars",
  "sourcepath",
];

export function createState(
  name: string,
  cwd: string,
  environment: Record<string, string>,
  memory: VariableMemory,
): ShellState {
  const variables = new VariableScopes(memory);
  for (const [key, value] of Object.entries(environment)) {
    variables.set(key, value);
    variables.setAttribute(key, "exported", true);
  }
  variables.set("IFS", " \t\n");
  variables.set("OPTIND", "1");
  variables.set("OPTERR", "1");
  variables.set("PIPESTATUS", new IndexedArray(["0"]));
  return {
    variables,
    functions: new Map(),
    aliases: new Map(),
    traps: new Map(),
    options: new Set(DEFAULT_OPTIONS),
    disabled: new Set(),
    name,
    script: undefined,
    positional: [],
    cwd,
    directories: [],
    frames: [],
    status: 0,
    lastArgument: "",
    line: 1,
    command: "",
    backgroundId: undefined,
    shellId: 1,
    processId: 1,
    level: 0,
    startMs: Date.now(),
    getoptsOffset: 0,
    warnings: [],
  };
}

/** The state of a subshell. Traps count no longer, except for those that ignore a signal or are inherited. */
export function forkState(state: ShellState, processId: number): ShellState {
  const inherited = new Set([
    ...(state.options.has("errtrace") ? ["ERR"] : []),
    ...(state.options.has("functrace") ? ["DEBUG", "RETURN"] : []),
  ]);
  const kept = [...state.traps].filter(
    ([event, command]) => command === "" || inherited.has(event),
  );
  return {
    ...state,
    variables: state.variables.fork(),
    functions: new Map(state.functions),
    aliases: new Map(state.aliases),
    traps: new Map(kept),
    options: new Set(state.options),
    disabled: new Set(state.disabled),
    processId,
    level: state.level + 1,
    warnings: [],
  };
}
