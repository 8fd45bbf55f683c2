import { FileSystemError, resolvePath } from "@robota/runtime/ports";
import { describeFileError } from "../../files/file-errors.ts";
import {
  filesOf,
  print,
  type Process,
  type Program,
  report,
  spawnProcess,
} from "../run/process.ts";
import { createParser } from "../parse/parser.ts";
import { ShellSyntaxError } from "../parse/syntax-error.ts";
import { decodeShellText } from "../text/bytes.ts";

const MISUSED = 2;
const NOT_FOUND = 127;
const VERSION = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)";
/** Options that change nothing here. */
const LONG_OPTIONS: ReadonlySet<string> = new Set([
  "--debugger",
  "--login",
  "--noediting",
  "--noprofile",
  "--norc",
  "--posix",
  "--restricted",
  "--verbose",
  "--version",
]);
const WITH_FILE: ReadonlySet<string> = new Set(["--init-file", "--rcfile"]);

interface Invocation {
  /** Options of `set`, as its arguments. */
  readonly options: readonly string[];
  /** Options of `shopt`, as its arguments. */
  readonly shopts: readonly (readonly string[])[];
  readonly isText: boolean;
  readonly isInput: boolean;
  readonly checksOnly: boolean;
  readonly rest: readonly string[];
  /** Reason why the arguments can't be understood. */
  readonly wrong: string | undefined;
}

/** `bash` and `sh` */
export function shellPrograms(): Program[] {
  return ["bash", "sh"].map((name) => ({
    name,
    async run({ name: shown, process, args }) {
      const invocation = parseInvocation(args);
      const { isText, options, shopts, checksOnly, wrong } = invocation;
      if (wrong !== undefined) {
        await report(process, `${name}: ${wrong}`);
        return MISUSED;
      }
      if (args[0] === "--version") {
        await print(process, 1, `${VERSION}\n`);
        return 0;
      }
      const script = await scriptOf(process, shown, invocation);
      if (typeof script === "number") return script;
      const { text, ...call } = script;
      if (checksOnly) return check(process, text);
      const { interpreter } = process.run;
      const setUp = [...(options.length > 0 ? [["set", ...options]] : []), ...shopts];
      return interpreter.runScript(spawnProcess(process), text, { ...call, isText, setUp });
    },
  }));
}

interface Script {
  readonly text: string;
  readonly name: string;
  readonly file: string | undefined;
  readonly args: readonly string[];
}

/** The script to run; the status of a file that can't be read. */
async function scriptOf(
  process: Process,
  name: string,
  { isText, isInput, rest }: Invocation,
): Promise<Script | number> {
  const [first, ...others] = rest;
  if (isText)
    return { text: first ?? "", name: others[0] ?? name, file: undefined, args: others.slice(1) };
  if (isInput || first === undefined) {
    const input = await process.descriptors.get(0)?.readAll();
    return { text: decodeShellText(input ?? new Uint8Array()), name, file: undefined, args: rest };
  }
  const text = await readScript(process, first);
  return typeof text === "number" ? text : { text, name: first, file: first, args: others };
}

function parseInvocation(args: readonly string[]): Invocation {
  const options: string[] = [];
  const shopts: string[][] = [];
  let [isText, isInput, checksOnly] = [false, false, false];
  let wrong: string | undefined;
  let at = 0;
  for (; /^[-+][A-Za-z]|^--./.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? "";
    if (arg.startsWith("--")) {
      if (WITH_FILE.has(arg)) at++;
      else if (!LONG_OPTIONS.has(arg)) wrong ??= `${arg}: invalid option`;
      continue;
    }
    const sign = arg.charAt(0);
    for (const letter of arg.slice(1)) {
      if (letter === "c") isText = true;
      else if (letter === "s") isInput = true;
      else if (letter === "n") checksOnly = true;
      else if (letter === "o") options.push(`${sign}o`, args[++at] ?? "");
      else if (letter === "O") shopts.push(["shopt", sign === "-" ? "-s" : "-u", args[++at] ?? ""]);
      else if ("abefhkmpuvxBCEHPT".includes(letter)) options.push(sign + letter);
      else if (!"ilrD".includes(letter)) wrong ??= `${sign}${letter}: invalid option`;
    }
  }
  if (args[at] === "--" || args[at] === "-") at++;
  const rest = args.slice(at);
  if (isText && rest.length === 0) wrong ??= "-c: option requires an argument";
  return { options, shopts, isText, isInput, checksOnly, rest, wrong };
}

async function readScript(process: Process, name: string): Promise<string | number> {
  try {
    const path = resolvePath(process.state.cwd, name);
    return decodeShellText(await filesOf(process).readFile(path));
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    await report(process, `${name}: ${describeFileError(error)}`);
    return error.code === "ENOENT" ? NOT_FOUND : 126;
  }
}

async function check(process: Process, text: string): Promise<number> {
  const parser = createParser(text);
  try {
    while (parser.next());
    return 0;
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    process.state.line = error.line;
    await report(process, error.message);
    return 2;
  }
}
