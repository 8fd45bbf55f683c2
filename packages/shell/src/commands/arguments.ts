import { decodeText, FileSystemError } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../command.ts";
import { describeFileError } from "../files/file-errors.ts";

export interface OptionSpec {
  /** Single-letter options without a value. */
  flags?: string;
  /** Single-letter options with a value, attached or as the next argument. */
  valued?: string;
  /** Long names and their letters; a name of several words may map to itself. */
  long?: Readonly<Record<string, string>>;
}

export interface Arguments {
  /** The last value of each given option; a flag's is empty. */
  readonly options: ReadonlyMap<string, string>;
  /** Every option in the order given. */
  readonly given: readonly (readonly [name: string, value: string])[];
  readonly operands: readonly string[];
}

/**
 * Parses options as GNU programs do: clusters, attached values, `--name=value`, options after operands, `--`. With
 * `stopAtOperand`, everything from the first operand on belongs to another program.
 */
export function parseArguments(
  args: readonly string[],
  { flags = "", valued = "", long = {} }: OptionSpec,
  { stopAtOperand = false } = {},
): Arguments {
  const given: [string, string][] = [];
  let operands: string[] = [];
  const rest = [...args];
  const isValued = (name: string): boolean => name.length === 1 && valued.includes(name);
  const next = (name: string): string => {
    const value = rest.shift();
    if (value === undefined) throw new Error(`option requires an argument -- '${name}'`);
    return value;
  };
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      operands = operands.concat(rest.splice(0));
    } else if (arg.startsWith("--")) {
      const [name = "", ...parts] = arg.slice(2).split("=");
      const letter = Object.hasOwn(long, name) ? long[name] : undefined;
      if (letter === undefined) throw new Error(`unrecognized option '--${name}'`);
      if (parts.length > 0) given.push([letter, parts.join("=")]);
      else given.push([letter, isValued(letter) ? next(name) : ""]);
    } else if (arg.length > 1 && arg.startsWith("-")) {
      for (let at = 1; at < arg.length; at++) {
        const letter = arg.charAt(at);
        if (isValued(letter)) {
          given.push([letter, arg.slice(at + 1) || next(letter)]);
          break;
        }
        if (!flags.includes(letter)) throw new Error(`invalid option -- '${letter}'`);
        given.push([letter, ""]);
      }
    } else if (stopAtOperand) {
      operands = operands.concat(arg, rest.splice(0));
    } else {
      operands.push(arg);
    }
  }
  return { options: new Map(given), given, operands };
}

/** The content of a file, or of standard input for `-`. */
export async function readOperand(context: ShellCommandContext, path: string): Promise<Uint8Array> {
  if (path === "-") return context.input();
  try {
    return await context.fs.readFile(context.resolve(path));
  } catch (error) {
    throw new Error(`${path}: ${explain(error)}`, { cause: error });
  }
}

export async function readTextOperand(context: ShellCommandContext, path: string): Promise<string> {
  return decodeText(await readOperand(context, path));
}

/** Describes a file system's error in the wording of GNU programs. */
export function explain(error: unknown): string {
  if (!(error instanceof FileSystemError)) throw error;
  return describeFileError(error);
}
