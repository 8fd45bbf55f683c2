import { FileSystemError, resolvePath } from "@robota/runtime/ports";
import { describeFileError } from "../../files/file-errors.ts";
import { filesOf, forkProcess, type Process, type Program, report } from "../run/process.ts";
import { createParser } from "../parse/parser.ts";
import { ShellSyntaxError } from "../parse/syntax-error.ts";
import { decodeShellText } from "../text/bytes.ts";

const NOT_FOUND = 127;

interface Invocation {
  readonly options: readonly string[];
  readonly isText: boolean;
  readonly isInput: boolean;
  readonly checksOnly: boolean;
  readonly rest: readonly string[];
}

/** `bash` and `sh` */
export function shellPrograms(): Program[] {
  return ["bash", "sh"].map((name) => ({
    name,
    async run({ process, args }) {
      const { isText, isInput, rest, options, checksOnly } = parseInvocation(args);
      const [first, ...others] = rest;
      let text: string;
      let scriptName = name;
      let positional = others;
      let file: string | undefined;
      if (isText) {
        text = first ?? "";
        scriptName = others[0] ?? name;
        positional = others.slice(1);
      } else if (isInput || first === undefined) {
        text = decodeShellText((await process.descriptors.get(0)?.readAll()) ?? new Uint8Array());
        positional = [...rest];
      } else {
        const read = await readScript(process, first);
        if (typeof read === "number") return read;
        text = read;
        scriptName = file = first;
      }
      if (checksOnly) return check(process, text);
      const { interpreter } = process.run;
      return interpreter.runScript(forkProcess(process), text, {
        name: scriptName,
        file,
        args: positional,
        options,
      });
    },
  }));
}

function parseInvocation(args: readonly string[]): Invocation {
  const options: string[] = [];
  let [isText, isInput, checksOnly] = [false, false, false];
  let at = 0;
  for (; /^[-+][A-Za-z]|^--./.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? "";
    if (arg.startsWith("--")) continue;
    for (const letter of arg.slice(1)) {
      if (letter === "c") isText = true;
      else if (letter === "s") isInput = true;
      else if (letter === "n") checksOnly = true;
      else if (letter === "o" || letter === "O") {
        if (letter === "o") options.push(`${arg.charAt(0)}o`, args[at + 1] ?? "");
        at++;
      } else if ("abefhkmpuvxBCEHPT".includes(letter)) options.push(arg.charAt(0) + letter);
    }
  }
  if (args[at] === "--" || args[at] === "-") at++;
  return { options, isText, isInput, checksOnly, rest: args.slice(at) };
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
