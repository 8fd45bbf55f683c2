import { dirname, errorMessage } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { readTextOperand } from "../arguments.ts";
import { JsonError, parseJson, parseValues } from "./text/json.ts";
import type { Layout } from "./text/print.ts";
import { objectOf, type Value } from "./values.ts";

export interface Options {
  readonly program: string;
  /** The directory that its relative imports start from. */
  readonly directory: string;
  /** The directories of libraries. */
  readonly library: readonly string[];
  readonly files: readonly string[];
  readonly isRawInput: boolean;
  readonly isSlurped: boolean;
  readonly isStreamed: boolean;
  readonly hasNoInput: boolean;
  readonly setsStatus: boolean;
  readonly isRawOutput: boolean;
  readonly isJoined: boolean;
  readonly isSequence: boolean;
  readonly isColored: boolean;
  readonly layout: Layout;
  /** Variables by their names. */
  readonly named: ReadonlyMap<string, Value>;
  readonly positional: readonly Value[];
}

/** Wrong use of the command. */
export class JqUsageError extends Error {
  override readonly name = "JqUsageError" as const;
}

const FLAGS: Readonly<Record<string, string>> = {
  "ascii-output": "a",
  "color-output": "C",
  "compact-output": "c",
  "exit-status": "e",
  "from-file": "f",
  help: "h",
  "join-output": "j",
  "monochrome-output": "M",
  "null-input": "n",
  "raw-input": "R",
  "raw-output": "r",
  slurp: "s",
  "sort-keys": "S",
  unbuffered: "unbuffered",
  seq: "seq",
  stream: "stream",
  tab: "tab",
  version: "V",
};
const LETTERS = "aCcefhjMnRrsSV";
const MAX_INDENT = 7;
const DEFAULT_LIBRARY = ["~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib"];

interface Given {
  readonly flags: Set<string>;
  readonly operands: string[];
  readonly named: Map<string, Value>;
  readonly positional: Value[];
  readonly library: string[];
  indent: number;
  program: string | undefined;
}

/** Reads the arguments. @throws {JqUsageError} */
export async function readOptions(
  args: readonly string[],
  context: ShellCommandContext,
): Promise<Options | "help" | "version"> {
  const given: Given = {
    flags: new Set(),
    operands: [],
    named: new Map(),
    positional: [],
    library: [],
    indent: 2,
    program: undefined,
  };
  await readArguments(args, given, context);
  const { flags, operands } = given;
  if (flags.has("h")) return "help";
  if (flags.has("V")) return "version";
  let { program = "." } = given;
  const directory = flags.has("f") ? dirname(context.resolve(program)) : context.cwd;
  if (flags.has("f")) program = await readFile(context, program);
  const has = (flag: string): boolean => flags.has(flag);
  return {
    program,
    directory,
    library: given.library.length > 0 ? given.library : DEFAULT_LIBRARY,
    files: operands,
    isRawInput: has("R"),
    isSlurped: has("s"),
    isStreamed: has("stream"),
    hasNoInput: has("n"),
    setsStatus: has("e"),
    isRawOutput: has("r") || has("j"),
    isJoined: has("j"),
    isSequence: has("seq"),
    isColored: has("C") && !has("M"),
    layout: {
      indent: has("c") ? "" : has("tab") ? "\t" : " ".repeat(given.indent),
      sortsKeys: has("S"),
      isAscii: has("a"),
    },
    named: given.named,
    positional: given.positional,
  };
}

async function readArguments(
  args: readonly string[],
  given: Given,
  context: ShellCommandContext,
): Promise<void> {
  let kind: "file" | "text" | "json" = "file";
  let areOptions = true;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!areOptions || !/^-[a-zA-Z-]/.test(arg)) {
      if (given.program === undefined) given.program = arg;
      else if (kind === "file") given.operands.push(arg);
      else given.positional.push(kind === "text" ? arg : jsonArgument(arg, "--jsonargs"));
      continue;
    }
    const name = arg.slice(2);
    if (arg === "--") areOptions = false;
    else if (arg === "--args" || arg === "--jsonargs") kind = arg === "--args" ? "text" : "json";
    else if (arg === "--indent") given.indent = indentOf(args[++at]);
    else if (/^-L|^--library-path$/.test(arg)) {
      const directory = (arg.startsWith("-L") && arg.slice(2)) || args[++at];
      if (directory === undefined) throw new JqUsageError(NO_DIRECTORY);
      given.library.push(directory.startsWith("~/") ? directory : context.resolve(directory));
    } else if (
      ["arg", "argjson", "slurpfile", "rawfile", "argfile"].includes(name) &&
      arg.startsWith("--")
    ) {
      const [variable, text] = args.slice(at + 1, at + 3);
      at += 2;
      if (variable === undefined || text === undefined) throw missing(name);
      if (!given.named.has(variable)) given.named.set(variable, await valueOf(name, text, context));
    } else addFlags(arg, given);
  }
}

function addFlags(arg: string, { flags }: Given): void {
  if (arg.startsWith("--")) {
    const flag = Object.hasOwn(FLAGS, arg.slice(2)) ? FLAGS[arg.slice(2)] : undefined;
    if (flag === undefined) throw unknown(arg);
    flags.add(flag);
    return;
  }
  for (const letter of arg.slice(1)) {
    if (!LETTERS.includes(letter)) throw unknown(arg);
    flags.add(letter);
  }
}

const HINT = "Use jq --help for help with command-line options";
const NO_DIRECTORY = `-L takes a parameter: (e.g. -L /search/path or -L/search/path)\n${HINT}`;

function unknown(arg: string): JqUsageError {
  return new JqUsageError(`jq: Unknown option: ${arg}\n${HINT}`);
}

function missing(name: string): JqUsageError {
  const second = name === "arg" ? "value" : name === "argjson" ? "text" : "filename";
  return new JqUsageError(
    `jq: --${name} takes two parameters (e.g. --${name} varname ${second})\n${HINT}`,
  );
}

function indentOf(text: string | undefined): number {
  if (text === undefined) throw new JqUsageError(`jq: --indent takes one parameter\n${HINT}`);
  const indent = Number.parseInt(text, 10) || 0;
  if (indent >= 0 && indent <= MAX_INDENT) return indent;
  throw new JqUsageError(`jq: --indent takes a number between 0 and ${MAX_INDENT}\n${HINT}`);
}

function jsonArgument(text: string, option: string, name = ""): Value {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new JqUsageError(
      `jq: Invalid JSON text passed to ${option}${name === "" ? "" : ` for ${name}`}\n${HINT}`,
    );
  }
}

async function valueOf(option: string, text: string, context: ShellCommandContext): Promise<Value> {
  if (option === "arg") return text;
  if (option === "argjson") return jsonArgument(text, "--argjson");
  const content = await readFile(context, text);
  if (option === "rawfile") return content;
  try {
    const values = parseValues(content);
    const [only = null] = values;
    return option === "argfile" && values.length === 1 ? only : values;
  } catch (error) {
    throw new JqUsageError(`jq: Bad JSON in --${option} ${text}: ${errorMessage(error)}`);
  }
}

async function readFile(context: ShellCommandContext, file: string): Promise<string> {
  try {
    return await readTextOperand(context, file);
  } catch (error) {
    throw new JqUsageError(`jq: error: Could not open ${errorMessage(error)}`);
  }
}

/** The variables that a program has. */
export function variablesOf(
  { named, positional }: Options,
  env: Readonly<Record<string, string>>,
): Map<string, Value> {
  const variables = new Map(named);
  variables.set("ENV", objectOf(Object.entries(env)));
  variables.set(
    "ARGS",
    objectOf([
      ["positional", positional],
      ["named", objectOf(named)],
    ]),
  );
  return variables;
}
