import { FileSystemError, normalizePath, resolvePath } from "@robota/runtime/ports";
import { describeFileError } from "../../files/file-errors.ts";
import { filesOf, print, type Process, report } from "../run/process.ts";
import { readVariable } from "../state/access.ts";
import { parseOptions, withTexts } from "./builtin.ts";

/** Changes the directory. @returns the reason why it can't */
async function change(process: Process, path: string): Promise<string | undefined> {
  const { state } = process;
  try {
    const { type } = await filesOf(process).stat(path);
    if (type !== "directory") return "Not a directory";
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    return describeFileError(error);
  }
  state.variables.set("OLDPWD", state.cwd);
  state.cwd = path;
  state.variables.set("PWD", path);
  return undefined;
}

export const cd = withTexts(async (process, args) => {
  const { options, rest } = parseOptions(args, { flags: "LPe@" });
  const { state } = process;
  if (rest.length > 1) {
    await report(process, "cd: too many arguments");
    return 1;
  }
  const given = rest[0] ?? readVariable(state, "HOME");
  if (given === undefined) {
    await report(process, "cd: HOME not set");
    return 1;
  }
  if (given === "") return 0;
  const target = given === "-" ? readVariable(state, "OLDPWD") : given;
  if (target === undefined) {
    await report(process, "cd: OLDPWD not set");
    return 1;
  }
  const paths = /^(?:\/|\.\.?(?:\/|$))/.test(target)
    ? [target]
    : [
        ...(readVariable(state, "CDPATH") ?? "")
          .split(":")
          .filter(Boolean)
          .map((base) => `${base}/${target}`),
        target,
      ];
  let reason: string | undefined;
  for (const path of paths) {
    const resolved = resolvePath(state.cwd, path);
    reason = await change(process, options.has("P") ? await realPath(process, resolved) : resolved);
    if (reason !== undefined) continue;
    if (given === "-" || path !== target) await print(process, 1, `${state.cwd}\n`);
    return 0;
  }
  await report(process, `cd: ${target}: ${reason ?? ""}`);
  return 1;
});

async function realPath(process: Process, path: string): Promise<string> {
  return filesOf(process)
    .realpath(path)
    .catch(() => path);
}

export const pwd = withTexts(async (process, args) => {
  const { cwd } = process.state;
  await print(process, 1, `${args[0] === "-P" ? await realPath(process, cwd) : cwd}\n`);
  return 0;
});

export const pushd = withTexts(async (process, args) => {
  const { state } = process;
  const [target] = args.filter((arg) => arg !== "-n");
  const stack = [state.cwd, ...state.directories];
  const turn = /^([+-])(\d+)$/.exec(target ?? "");
  if (target === undefined || turn) {
    const count = turn ? Number(turn[2]) : 1;
    const index = turn?.[1] === "-" ? stack.length - 1 - count : count;
    if (stack.length < 2 || index < 0 || index >= stack.length) {
      await report(
        process,
        stack.length < 2
          ? "pushd: no other directory"
          : `pushd: ${target ?? ""}: directory stack index out of range`,
      );
      return 1;
    }
    const next = turn
      ? [...stack.slice(index), ...stack.slice(0, index)]
      : [stack[1] ?? "", stack[0] ?? "", ...stack.slice(2)];
    return move(process, next, "pushd");
  }
  return move(process, [resolvePath(state.cwd, target), ...stack], "pushd", target);
});

async function move(
  process: Process,
  [top = "/", ...rest]: readonly string[],
  name: string,
  shown = top,
): Promise<number> {
  const reason = await change(process, normalizePath(top));
  if (reason !== undefined) {
    await report(process, `${name}: ${shown}: ${reason}`);
    return 1;
  }
  process.state.directories = rest;
  return show(process, "");
}

export const popd = withTexts(async (process, args) => {
  const { state } = process;
  const stack = [state.cwd, ...state.directories];
  if (stack.length < 2) {
    await report(process, "popd: directory stack empty");
    return 1;
  }
  const match = /^([+-])(\d+)$/.exec(args[0] ?? "+0");
  const index = match?.[1] === "-" ? stack.length - 1 - Number(match[2]) : Number(match?.[2] ?? 0);
  const rest = stack.filter((_, at) => at !== index);
  if (index === 0) return move(process, rest, "popd");
  state.directories = rest.slice(1);
  return show(process, "");
});

export const dirs = withTexts(async (process, args) => {
  const { state } = process;
  if (args.includes("-c")) {
    state.directories = [];
    return 0;
  }
  return show(process, args.join(""));
});

async function show(process: Process, options: string): Promise<number> {
  const { state } = process;
  const home = readVariable(state, "HOME");
  const stack = [state.cwd, ...state.directories].map((path) =>
    home !== undefined &&
    home !== "/" &&
    !options.includes("l") &&
    (path === home || path.startsWith(`${home}/`))
      ? `~${path.slice(home.length)}`
      : path,
  );
  const lines = options.includes("v")
    ? stack.map((path, index) => `${String(index).padStart(2)}  ${path}`)
    : stack;
  await print(process, 1, `${lines.join(/[pv]/.test(options) ? "\n" : " ")}\n`);
  return 0;
}
