import { FileSystemError, resolvePath } from "@robota/runtime/ports";
import { decodeShellText } from "../text/bytes.ts";
import { describeFileError } from "../../files/file-errors.ts";
import { alternativeTo } from "./missing-programs.ts";
import { filesOf, type Process, report, type RunWordsOptions, spawnProcess } from "./process.ts";
import { readVariable } from "../state/access.ts";

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** Runs a program by its name, or a script by its path or on `PATH`. @returns the status */
export async function runProgram(
  process: Process,
  name: string,
  args: readonly string[],
  { skipsPath = false, shownAs = name }: RunWordsOptions = {},
): Promise<number> {
  const { run, state } = process;
  const program = programAt(process, name);
  if (program) {
    const env = state.variables.exported();
    return program.run({ name: shownAs, args, env, process });
  }
  if (name.includes("/")) return runScript(process, name, args);
  const file = skipsPath ? undefined : await fileOnPath(process, name);
  // By its path, so that rules are asked about that, too.
  if (file !== undefined)
    return run.interpreter.runWords(process, [file, ...args], { skipsFunctions: true });
  const handler = "command_not_found_handle";
  if (state.functions.has(handler))
    return run.interpreter.runWords(process, [handler, name, ...args], {});
  const alternative = alternativeTo(name);
  const advice = alternative === undefined ? "" : ` (${alternative})`;
  await report(process, `${name}: command not found${advice}`);
  return NOT_FOUND;
}

/** The program of a name, or of a path where programs are. */
export function programAt(
  { run, state }: Process,
  name: string,
): ReturnType<typeof run.programs.get> {
  if (!name.includes("/")) return run.programs.get(name);
  const path = resolvePath(state.cwd, name);
  const match = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(path);
  return match ? run.programs.get(match[1] ?? "") : undefined;
}

/**
 * The file of a name in the directories of `PATH`: one that may be run, or else any. Only for names that are no program's:
 * no file takes the place of a program, which rules may allow by its name.
 */
export async function fileOnPath(process: Process, name: string): Promise<string | undefined> {
  let other: string | undefined;
  for (const { path, mode } of await filesOnPath(process, name)) {
    if ((mode & 0o111) !== 0) return path;
    other ??= path;
  }
  return other;
}

/** The first file of a name in the directories of `PATH`, to be read. */
export async function scriptOnPath(process: Process, name: string): Promise<string | undefined> {
  return name.includes("/") ? undefined : (await filesOnPath(process, name))[0]?.path;
}

async function filesOnPath(
  process: Process,
  name: string,
): Promise<readonly { readonly path: string; readonly mode: number }[]> {
  const { state } = process;
  const found: { path: string; mode: number }[] = [];
  for (const directory of (readVariable(state, "PATH") ?? "").split(":")) {
    const path = `${directory || "."}/${name}`;
    const mode = await modeOfFile(process, path);
    if (mode !== undefined) found.push({ path, mode });
  }
  return found;
}

/** The rights of a file; `undefined` where there is none. */
async function modeOfFile(process: Process, path: string): Promise<number | undefined> {
  const stat = await filesOf(process)
    .stat(resolvePath(process.state.cwd, path))
    .catch(() => undefined);
  return stat?.type === "file" ? stat.mode : undefined;
}

/** Reports whether a path leads to a file that may be run. */
export async function isExecutable(process: Process, path: string): Promise<boolean> {
  return (((await modeOfFile(process, path)) ?? 0) & 0o111) !== 0;
}

async function runScript(process: Process, name: string, args: readonly string[]): Promise<number> {
  const { state, run } = process;
  const path = resolvePath(state.cwd, name);
  let bytes: Uint8Array;
  try {
    const { type, mode } = await filesOf(process).stat(path);
    if (type === "directory" || (mode & 0o111) === 0) {
      await report(
        process,
        `${name}: ${type === "directory" ? "Is a directory" : "Permission denied"}`,
      );
      return NOT_EXECUTABLE;
    }
    bytes = await filesOf(process).readFile(path);
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    await report(process, `${name}: ${describeFileError(error)}`);
    return error.code === "ENOENT" ? NOT_FOUND : NOT_EXECUTABLE;
  }
  const text = decodeShellText(bytes);
  const interpreter = /^#![ \t]*(\S+)(?:[ \t]+(\S.*))?\n/.exec(text);
  const words = interpreterWords(interpreter?.[1], interpreter?.[2]);
  if (words && !/^(?:ba|da)?sh$/.test(words[0] ?? ""))
    return run.interpreter.runWords(process, [...words, name, ...args], {});
  const child = spawnProcess(process);
  const options = words?.slice(1) ?? [];
  const setUp = options.length > 0 ? [["set", ...options]] : [];
  return run.interpreter.runScript(child, text, { name, file: name, args, setUp });
}

function interpreterWords(
  program: string | undefined,
  option: string | undefined,
): string[] | undefined {
  if (program === undefined) return undefined;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const words = [name, ...(option === undefined ? [] : [option.trim()])];
  return name === "env"
    ? words
        .slice(1)
        .flatMap((word) => word.split(/\s+/))
        .filter((word) => word !== "-S")
    : words;
}
