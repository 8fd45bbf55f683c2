import { decodeText, encodeText, errorMessage } from "@robota/runtime/ports";
import {
  isBrokenPipe,
  type ShellCommand,
  type ShellCommandContext,
  type ShellCommandResult,
} from "../../command.ts";
import { parseArguments, readOperand, readTextOperand } from "../arguments.ts";
import { edit } from "./edit.ts";
import { LineOutput } from "./output.ts";
import { parseScript } from "./parser.ts";
import type { Command } from "./script.ts";
import { linesAsTheyCome } from "../streams.ts";

const BAD_USAGE = 1;
const NO_INPUT = 2;
const NOTHING_TO_EDIT = 4;

export const sed: ShellCommand = {
  name: "sed",
  async run(args, context): Promise<ShellCommandResult> {
    try {
      return await run(args, context);
    } catch (error) {
      if (isBrokenPipe(error)) throw error;
      return { stderr: `sed: ${errorMessage(error)}\n`, exitCode: BAD_USAGE };
    }
  },
};

const OPTIONS = {
  flags: "nErszu",
  valued: "efl",
  long: {
    quiet: "n",
    silent: "n",
    expression: "e",
    file: "f",
    "regexp-extended": "E",
    separate: "s",
    "null-data": "z",
    unbuffered: "u",
    posix: "posix",
    sandbox: "sandbox",
    debug: "debug",
    "follow-symlinks": "follow",
  },
};

async function run(
  args: readonly string[],
  context: ShellCommandContext,
): Promise<ShellCommandResult> {
  // `-i` takes its suffix attached or not at all.
  let suffix: string | undefined;
  const plain = args.flatMap((arg) => {
    const inPlace = /^(?:--in-place(?:=(.*))?|-([nErszu]*)i(.*))$/s.exec(arg);
    if (!inPlace || suffix !== undefined) return arg;
    suffix = inPlace[1] ?? inPlace[3] ?? "";
    return inPlace[2] ? `-${inPlace[2]}` : [];
  });
  const { options, given, operands } = parseArguments(plain, OPTIONS);
  const sources: string[] = [];
  for (const [name, value] of given) {
    if (name === "e") sources.push(value);
    if (name === "f") sources.push((await readTextOperand(context, value)).replace(/\n$/, ""));
  }
  const files = [...operands];
  const script = sources.length > 0 ? sources.join("\n") : files.shift();
  if (script === undefined) throw new Error("no script specified");
  const isExtended = options.has("E") || options.has("r");
  const commands = await parseScript(script, isExtended);
  const isQuiet = options.has("n") || script.startsWith("#n\n");
  const shared = { context, commands, isQuiet, options, wFiles: new Map<string, LineOutput>() };
  for (const name of filesWritten(commands)) shared.wFiles.set(name, new LineOutput());
  if (suffix !== undefined && files.length === 0)
    return { stderr: "sed: no input files\n", exitCode: NOTHING_TO_EDIT };
  const isSeparate = suffix !== undefined || options.has("s");
  let [stderr, exitCode] = ["", 0];
  const inputs: { name: string; text: string }[] = [];
  const [only = "-", ...others] = files;
  const isPiped = only === "-" && others.length === 0 && suffix === undefined;
  const coming = isPiped && !options.has("z") ? linesAsTheyCome(context) : undefined;
  for (const [at, name] of (coming ? [] : [only, ...others]).entries()) {
    // Standard input is at its end once it was read.
    const isRead = name === "-" && [only, ...others].indexOf("-") < at;
    try {
      inputs.push({ name, text: isRead ? "" : decodeText(await readOperand(context, name)) });
    } catch (error) {
      stderr += `sed: can't read ${errorMessage(error)}\n`;
      exitCode = NO_INPUT;
    }
  }
  const output = new LineOutput(options.has("z") ? "\0" : "\n");
  const groups = isSeparate && !coming ? inputs.map((input) => [input]) : [inputs];
  for (const group of groups) {
    const result = await edit(shared, group, coming);
    const [only] = group;
    if (suffix !== undefined && only && only.name !== "-") {
      await replaceFile(context, only, result.text, suffix);
    } else output.text(result.text);
    if (result.exitCode !== undefined) {
      exitCode = result.exitCode;
      break;
    }
  }
  for (const [name, file] of shared.wFiles) {
    const text = file.take();
    if (name === "/dev/stderr") stderr += text;
    else if (name !== "/dev/stdout") await context.fs.writeFile(context.resolve(name), text);
  }
  return { stdout: encodeText(output.take()), stderr, exitCode };
}

/** Rewrites the file with its mode, and keeps a backup under the name with the suffix. */
async function replaceFile(
  context: ShellCommandContext,
  { name, text: before }: { name: string; text: string },
  after: string,
  suffix: string,
): Promise<void> {
  const { fs, resolve } = context;
  const path = resolve(name);
  const { mode } = await fs.stat(path);
  if (suffix !== "") {
    const own = name.split("/").at(-1) ?? "";
    const backup = resolve(suffix.includes("*") ? suffix.replaceAll("*", own) : name + suffix);
    await fs.writeFile(backup, before);
    await fs.chmod(backup, mode);
  }
  await fs.writeFile(path, after);
  await fs.chmod(path, mode);
}

function filesWritten(commands: readonly Command[]): string[] {
  return commands.flatMap(({ name, text, substitution }) =>
    name === "w" || name === "W"
      ? [text]
      : substitution?.file === undefined
        ? []
        : [substitution.file],
  );
}
