import { normalizePath, resolvePath } from "@robota/runtime/ports";
import { print, type Process, report } from "../../run/process.ts";
import { readVariable } from "../../state/access.ts";
import { withTexts } from "../builtin.ts";
import { changeDirectory } from "./cd.ts";

const MISUSED = 2;

/** The arguments of `pushd`, `popd` and `dirs`. */
interface StackArguments {
  readonly letters: ReadonlySet<string>;
  /** `+N` from the left, `-N` from the right. */
  readonly place: string | undefined;
  readonly rest: readonly string[];
  /** Argument that looks like an option and is none. */
  readonly wrong: string | undefined;
}

function parse(args: readonly string[], known: string): StackArguments {
  const letters = new Set<string>();
  let place: string | undefined;
  for (const [at, arg] of args.entries()) {
    if (arg === "--") return { letters, place, rest: args.slice(at + 1), wrong: undefined };
    if (/^[-+]\d+$/.test(arg)) place = arg;
    else if (!/^-./.test(arg)) return { letters, place, rest: args.slice(at), wrong: undefined };
    else if (Array.from(arg.slice(1)).every((letter) => known.includes(letter)))
      for (const letter of arg.slice(1)) letters.add(letter);
    else return { letters, place, rest: [], wrong: arg };
  }
  return { letters, place, rest: [], wrong: undefined };
}

function stackOf({ state }: Process): readonly [string, ...string[]] {
  return [state.cwd, ...state.directories];
}

/** The index of `+1` or `-0` in the stack; `undefined` outside of it. */
function indexOf(place: string, stack: readonly string[]): number | undefined {
  const count = Number(place.slice(1));
  const index = place.startsWith("-") ? stack.length - 1 - count : count;
  return stack[index] === undefined ? undefined : index;
}

async function fail(process: Process, message: string, status = 1): Promise<number> {
  await report(process, message);
  return status;
}

/** Reports a place that is not in the stack. */
function outOfRange(process: Process, name: string, place: string): Promise<number> {
  const isEmpty = process.state.directories.length === 0;
  return fail(
    process,
    isEmpty
      ? `${name}: directory stack empty`
      : `${name}: ${place}: directory stack index out of range`,
  );
}

export const pushd = withTexts(async (process, args, name) => {
  const { letters, place, rest, wrong } = parse(args, "n");
  if (wrong !== undefined) return fail(process, `${name}: ${wrong}: invalid number`, MISUSED);
  if (rest.length > 1) return fail(process, `${name}: too many arguments`);
  const { state } = process;
  const stack = stackOf(process);
  const [target] = rest;
  if (target !== undefined) {
    if (!letters.has("n"))
      return move(process, [resolvePath(state.cwd, target), ...stack], { name, shown: target });
    state.directories = [target, ...state.directories];
    return show(process);
  }
  const [top, next, ...others] = stack;
  if (place === undefined) {
    if (next === undefined) return fail(process, `${name}: no other directory`);
    return move(process, [next, top, ...others], { name });
  }
  const index = indexOf(place, stack);
  if (index === undefined) return outOfRange(process, name, place);
  return move(process, [...stack.slice(index), ...stack.slice(0, index)], { name });
});

async function move(
  process: Process,
  [top = "/", ...rest]: readonly string[],
  { name, shown = top }: { name: string; shown?: string },
): Promise<number> {
  const reason = await changeDirectory(process, normalizePath(top));
  if (reason !== undefined) return fail(process, `${name}: ${shown}: ${reason}`);
  process.state.directories = rest;
  return show(process);
}

export const popd = withTexts(async (process, args, name) => {
  const { letters, place, rest, wrong = rest[0] } = parse(args, "n");
  if (wrong !== undefined) return fail(process, `${name}: ${wrong}: invalid argument`, MISUSED);
  const stack = stackOf(process);
  const index = indexOf(place ?? (letters.has("n") ? "+1" : "+0"), stack);
  if (index === undefined || stack.length === 1) return outOfRange(process, name, place ?? "");
  const left = stack.filter((_, at) => at !== index);
  if (index === 0) return move(process, left, { name });
  process.state.directories = left.slice(1);
  return show(process);
});

/** `dirs`: `-c` clears the stack, `-l` shows whole paths, `-p` one in a line, `-v` with their indexes. */
export const dirs = withTexts(async (process, args, name) => {
  const { letters, place, rest, wrong = rest[0] } = parse(args, "clpv");
  if (wrong !== undefined) return fail(process, `${name}: ${wrong}: invalid option`, MISUSED);
  if (letters.has("c")) process.state.directories = [];
  else if (place === undefined) return show(process, letters);
  else {
    const index = indexOf(place, stackOf(process));
    if (index === undefined) return outOfRange(process, name, place);
    await print(process, 1, `${shownPaths(process, letters)[index] ?? ""}\n`);
  }
  return 0;
});

async function show(process: Process, letters: ReadonlySet<string> = new Set()): Promise<number> {
  const stack = shownPaths(process, letters);
  const lines = letters.has("v")
    ? stack.map((path, index) => `${String(index).padStart(2)}  ${path}`)
    : stack;
  const separator = letters.has("p") || letters.has("v") ? "\n" : " ";
  await print(process, 1, `${lines.join(separator)}\n`);
  return 0;
}

/** The paths of the stack, with `~` for the home directory. */
function shownPaths(process: Process, letters: ReadonlySet<string>): string[] {
  const home = readVariable(process.state, "HOME");
  return stackOf(process).map((path) => {
    const isBelow = home !== undefined && (path === home || path.startsWith(`${home}/`));
    return isBelow && home !== "/" && !letters.has("l") ? `~${path.slice(home.length)}` : path;
  });
}
