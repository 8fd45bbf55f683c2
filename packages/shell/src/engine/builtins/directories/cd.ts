import { dirname, FileSystemError, resolvePath } from "@robota/runtime/ports";
import { describeFileError } from "../../../files/file-errors.ts";
import { filesOf, print, type Process, report } from "../../run/process.ts";
import { readVariable } from "../../state/access.ts";
import { parseOptions, withTexts } from "../builtin.ts";

const MISUSED = 2;

/** Changes the directory. @returns the reason why it can't */
export async function changeDirectory(process: Process, path: string): Promise<string | undefined> {
  const reason = await whyNoDirectory(process, path);
  if (reason !== undefined) return reason;
  const { state } = process;
  setExported(process, "OLDPWD", state.cwd);
  state.cwd = path;
  setExported(process, "PWD", path);
  return undefined;
}

function setExported({ state }: Process, name: string, value: string): void {
  state.variables.set(name, value);
  state.variables.setAttribute(name, "exported", true);
}

async function whyNoDirectory(process: Process, path: string): Promise<string | undefined> {
  try {
    const { type } = await filesOf(process).stat(path);
    return type === "directory" ? undefined : "Not a directory";
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    return describeFileError(error);
  }
}

export const cd = withTexts(async (process, args, name) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "LPe@" });
  const { state } = process;
  if (wrong !== undefined) {
    await report(process, `${name}: ${wrong}: invalid option`);
    return MISUSED;
  }
  const given = rest[0] ?? readVariable(state, "HOME");
  const target = given === "-" ? readVariable(state, "OLDPWD") : given;
  if (rest.length > 1 || given === undefined || target === undefined) {
    const missing = given === undefined ? "HOME" : "OLDPWD";
    await report(process, `cd: ${rest.length > 1 ? "too many arguments" : `${missing} not set`}`);
    return 1;
  }
  if (given === "") return 0;
  const isPhysical = options.has("P") || (state.options.has("physical") && !options.has("L"));
  let reason: string | undefined;
  for (const path of placesOf(process, target)) {
    reason = await enter(process, path, isPhysical);
    if (reason !== undefined) continue;
    if (given === "-" || path !== target) await print(process, 1, `${state.cwd}\n`);
    return 0;
  }
  await report(process, `cd: ${target}: ${reason ?? ""}`);
  return 1;
});

/** The paths that a directory may have, with those in `CDPATH`. */
function placesOf({ state }: Process, target: string): string[] {
  if (/^(?:\/|\.\.?(?:\/|$))/.test(target)) return [target];
  const bases = (readVariable(state, "CDPATH") ?? "").split(":").filter(Boolean);
  return [...bases.map((base) => `${base}/${target}`), target];
}

async function enter(
  process: Process,
  path: string,
  isPhysical: boolean,
): Promise<string | undefined> {
  const { cwd } = process.state;
  if (isPhysical) return changeDirectory(process, await physicalPath(process, path));
  // The directory before a `..` must exist, although it does not count.
  for (const { index } of path.matchAll(/(?<=[^/]\/)\.\.(?=\/|$)/g)) {
    const reason = await whyNoDirectory(process, resolvePath(cwd, path.slice(0, index)));
    if (reason !== undefined) return reason;
  }
  return changeDirectory(process, resolvePath(cwd, path));
}

/** A path without symlinks, in which `..` leads to where the directory before it really is. */
async function physicalPath(process: Process, path: string): Promise<string> {
  let place = path.startsWith("/") ? "/" : await realPath(process, process.state.cwd);
  for (const part of path.split("/"))
    place = part === ".." ? dirname(place) : await realPath(process, resolvePath(place, part));
  return place;
}

async function realPath(process: Process, path: string): Promise<string> {
  return filesOf(process)
    .realpath(path)
    .catch(() => path);
}

export const pwd = withTexts(async (process, args, name) => {
  const { options, wrong } = parseOptions(args, { flags: "LP" });
  if (wrong !== undefined) {
    await report(process, `${name}: ${wrong}: invalid option`);
    return MISUSED;
  }
  const { cwd } = process.state;
  const isPhysical = [...options.keys()].at(-1) === "P";
  await print(process, 1, `${isPhysical ? await realPath(process, cwd) : cwd}\n`);
  return 0;
});
