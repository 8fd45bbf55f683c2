import { dynamicNames } from "../state/dynamic.ts";
import { filesOf, print, type Process, report } from "../run/process.ts";
import { resolvePath } from "@robota/runtime/ports";
import { parseOptions, withTexts } from "./builtin.ts";
import { BUILTIN_NAMES, isBuiltin, KEYWORDS } from "./names.ts";

type Action = (process: Process, prefix: string) => Iterable<string> | Promise<Iterable<string>>;

const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["alias", ({ state }) => state.aliases.keys()],
  ["builtin", () => [...BUILTIN_NAMES].sort()],
  ["command", commandNames],
  ["disabled", ({ state }) => [...state.disabled].sort()],
  ["enabled", ({ state }) => [...BUILTIN_NAMES].filter((name) => isBuiltin(state, name)).sort()],
  ["directory", (process, prefix) => pathsOf(process, prefix, true)],
  ["export", ({ state }) => Object.keys(state.variables.exported()).sort()],
  ["file", (process, prefix) => pathsOf(process, prefix, false)],
  ["function", ({ state }) => [...state.functions.keys()].sort()],
  ["keyword", () => KEYWORDS],
  ["variable", ({ state }) => [...new Set([...state.variables.names(), ...dynamicNames()])].sort()],
]);

const LETTERS: Readonly<Record<string, string>> = {
  a: "alias",
  b: "builtin",
  c: "command",
  d: "directory",
  e: "export",
  f: "file",
  k: "keyword",
  v: "variable",
};

/** `compgen`: the names of an action (`-A`, or its letter) or of a list (`-W`) that begin with a word. */
export const compgen = withTexts(async (process, args) => {
  const { options, rest, wrong } = parseOptions(args, {
    flags: Object.keys(LETTERS).join(""),
    valued: "AW",
  });
  if (wrong !== undefined) {
    await report(process, `compgen: ${wrong}: invalid option`);
    return 2;
  }
  const [prefix = ""] = rest;
  const found: string[] = [];
  for (const [letter, value] of options) {
    const name = LETTERS[letter] ?? value;
    const action = ACTIONS.get(name);
    if (letter !== "W" && !action) {
      await report(process, `compgen: ${name}: invalid action name`);
      return 2;
    }
    const names = letter === "W" ? value.split(/\s+/) : await action?.(process, prefix);
    for (const one of names ?? []) if (one !== "" && one.startsWith(prefix)) found.push(one);
  }
  await print(process, 1, found.map((name) => `${name}\n`).join(""));
  return found.length > 0 ? 0 : 1;
});

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
