import type { Specification } from "../builtins/completion/specification.ts";
import type { Signal } from "../jobs/signals.ts";
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
  /** Puts the options of `set` back, behind a function that made them local. */
  readonly restoreOptions?: () => void;
}

/** A function that is defined. */
export interface KnownFunction {
  readonly definition: FunctionDefinition;
  /** The file that it is in. */
  readonly source: string;
  readonly isReadonly?: boolean;
  /** The shells that this one starts have it, too. */
  readonly isExported?: boolean;
}

/** The state that a subshell has a copy of. */
export interface ShellState {
  readonly variables: VariableScopes;
  readonly functions: Map<string, KnownFunction>;
  /** Functions for the shells that programs start, out of reach of the programs themselves. */
  inherited: ReadonlyMap<string, KnownFunction>;
  readonly aliases: Map<string, string>;
  /** Commands by signal or event: `EXIT`, `ERR`, `INT`, … */
  readonly traps: Map<string, string>;
  /** The traps of the shell above, which are listed until this one sets its own. */
  listedTraps: ReadonlyMap<string, string> | undefined;
  /** Signals that were ignored when the shell started, and remain so. */
  ignored: ReadonlySet<string>;
  /** Signals that have come, whose traps are to run. */
  readonly signals: Signal[];
  /** Called when a signal comes, by who waits. */
  wake: (() => void) | undefined;
  /** Options of `set -o` and `shopt` that are on. */
  readonly options: Set<string>;
  /** Specifications of `complete` by the names of commands. */
  readonly completions: Map<string, Specification>;
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
  shellId: number;
  /** The process that made this one. */
  starterId: number;
  /** `$BASHPID` */
  processId: number;
  /** Rights that new files and directories don't have. */
  umask: number;
  /** `$BASH_SUBSHELL` */
  level: number;
  /** How deep the commands are in substitutions, `eval`, `source` and traps, which a trace shows. */
  traceLevel: number;
  /** The start, in terms of `Date.now`, for `$SECONDS`. */
  startMs: number;
  getoptsOffset: number;
  /** Errors that end nothing, until they are reported: a subscript before the start of an array. */
  readonly warnings: string[];
}

/** The number of the user, which no script can change. */
const USER = "1000";

const DEFAULT_OPTIONS = [
  "braceexpand",
  "hashall",
  "cmdhist",
  "globskipdots",
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
  setFirst(variables, environment, 1);
  return {
    variables,
    functions: new Map(),
    inherited: new Map(),
    aliases: new Map(),
    traps: new Map(),
    listedTraps: undefined,
    ignored: new Set(),
    signals: [],
    wake: undefined,
    options: new Set(DEFAULT_OPTIONS),
    completions: new Map(),
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
    starterId: 0,
    processId: 1,
    umask: 0o022,
    level: 0,
    traceLevel: 0,
    startMs: Date.now(),
    getoptsOffset: 0,
    warnings: [],
  };
}

/** The variables of a new shell. */
function setFirst(
  variables: VariableScopes,
  environment: Record<string, string>,
  parentId: number,
): void {
  for (const [key, value] of Object.entries(environment)) {
    variables.set(key, value);
    variables.setAttribute(key, "exported", true);
  }
  const fixed = { EUID: USER, PPID: String(parentId), UID: USER };
  for (const [name, value] of Object.entries(fixed)) {
    variables.set(name, value);
    for (const attribute of ["integer", "readonly"] as const)
      variables.setAttribute(name, attribute, true);
    variables.setAttribute(name, "exported", false);
  }
  variables.set("IFS", " \t\n");
  if (environment["PS4"] === undefined) variables.set("PS4", "+ ");
  variables.set("OPTIND", "1");
  variables.set("OPTERR", "1");
  variables.set("PIPESTATUS", new IndexedArray(["0"]));
}

/** Puts functions out of force where programs run, up to the next shell for those that are exported. */
export function hideFunctions(state: ShellState): void {
  const exported = [...state.functions].filter(([, { isExported }]) => isExported);
  state.inherited = new Map([...state.inherited, ...exported]);
  state.functions.clear();
}

/**
 * Makes the state of a subshell that of a new shell: it has the exported variables and functions, and the signals that are
 * ignored.
 */
export function startAnew(
  state: ShellState,
  script: { name: string; file: string | undefined; args: readonly string[] },
): void {
  const { variables, options, traps } = state;
  const environment = variables.exported();
  for (const name of variables.names()) variables.delete(name);
  setFirst(variables, environment, state.starterId);
  options.clear();
  for (const option of DEFAULT_OPTIONS) options.add(option);
  for (const [event, command] of traps) if (command !== "") traps.delete(event);
  state.ignored = new Set(traps.keys());
  state.listedTraps = undefined;
  hideFunctions(state);
  for (const [known, definition] of state.inherited) state.functions.set(known, definition);
  state.aliases.clear();
  state.completions.clear();
  state.disabled.clear();
  const { name, file, args } = script;
  const { processId: shellId } = state;
  const fresh = { frames: [], level: 0, traceLevel: 0, status: 0, line: 1, getoptsOffset: 0 };
  Object.assign(state, { ...fresh, shellId, name, script: file, positional: args });
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
    listedTraps: state.listedTraps ?? (state.traps.size > 0 ? new Map(state.traps) : undefined),
    signals: [],
    wake: undefined,
    options: new Set(state.options),
    completions: new Map(state.completions),
    disabled: new Set(state.disabled),
    processId,
    starterId: state.processId,
    level: state.level + 1,
    warnings: [],
  };
}
