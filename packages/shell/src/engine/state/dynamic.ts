import { callStack, isInFunction } from "./call-stack.ts";
import { IndexedArray } from "./indexed-array.ts";
import type { ShellState } from "./shell-state.ts";
import type { Value } from "./variables.ts";

const VERSION = ["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"];

/** VariableScopes whose value the shell computes, unless a script has assigned them. */
const DYNAMIC: Readonly<Record<string, (state: ShellState) => Value>> = {
  BASH: () => "/bin/bash",
  BASHPID: ({ processId }) => String(processId),
  BASHOPTS: ({ options }) => [...options].sort().join(":"),
  BASH_COMMAND: ({ command }) => command,
  BASH_SUBSHELL: ({ level }) => String(level),
  BASH_VERSION: () => "5.2.15(1)-release",
  BASH_VERSINFO: () => new IndexedArray(VERSION),
  BASH_SOURCE: (state) => new IndexedArray(callStack(state).map(({ source }) => source)),
  BASH_LINENO: (state) => new IndexedArray(callStack(state).map(({ line }) => String(line))),
  DIRSTACK: ({ cwd, directories }) => new IndexedArray([cwd, ...directories]),
  EPOCHREALTIME: () => (Date.now() / 1_000).toFixed(6),
  EPOCHSECONDS: () => String(Math.floor(Date.now() / 1_000)),
  FUNCNAME: (state) => new IndexedArray(callStack(state).map(({ name }) => name)),
  GROUPS: () => new IndexedArray(["1000"]),
  HOSTNAME: () => "localhost",
  HOSTTYPE: () => "x86_64",
  LINENO: ({ line }) => String(line),
  MACHTYPE: () => "x86_64-pc-linux-gnu",
  OSTYPE: () => "linux-gnu",
  RANDOM: () => String(Math.floor(Math.random() * 32_768)),
  SECONDS: ({ startMs }) => String(Math.floor((Date.now() - startMs) / 1_000)),
  SHELLOPTS: ({ options }) => [...options].sort().join(":"),
  SRANDOM: () => String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0),
  _: ({ lastArgument }) => lastArgument,
};

/** The values that only the shell sets, whatever a script assigns. */
const ALWAYS: ReadonlySet<string> = new Set([
  "BASH_COMMAND",
  "BASHPID",
  "BASH_SUBSHELL",
  "EPOCHREALTIME",
  "EPOCHSECONDS",
  "LINENO",
  "SECONDS",
  "SRANDOM",
  "_",
]);

/** The value of a variable that the shell computes; `undefined` for any other. */
export function dynamicValue(state: ShellState, name: string): Value | undefined {
  if (!Object.hasOwn(DYNAMIC, name)) return undefined;
  if (!ALWAYS.has(name) && state.variables.get(name) !== undefined) return undefined;
  // Outside of functions there is no name of one.
  if (name === "FUNCNAME" && !isInFunction(state)) return undefined;
  return DYNAMIC[name]?.(state);
}

export function dynamicNames(): string[] {
  return Object.keys(DYNAMIC);
}
