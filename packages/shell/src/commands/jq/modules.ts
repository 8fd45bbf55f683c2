import { dirname, errorMessage, FileSystemError } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { readTextOperand } from "../arguments.ts";
import { parseProgram } from "./syntax/parse.ts";
import { type Import, type Program, ProgramError } from "./syntax/tree.ts";
import { parseValues } from "./text/json.ts";
import type { Value } from "./values.ts";

/** A program or a library, with the libraries and the data that it imports. */
export interface Module {
  readonly program: Program;
  /** The text, and the file that it is in, for messages. */
  readonly source: string;
  readonly file: string | undefined;
  readonly imports: readonly { readonly prefix: string; readonly module: Module }[];
  /** Variables by their names. */
  readonly data: readonly (readonly [name: string, value: Value])[];
}

/** A library that can't be imported. */
export class ModuleError extends Error {
  override readonly name = "ModuleError" as const;
}

export interface ModuleOptions {
  readonly source: string;
  /** The directory that relative paths of the program start from. */
  readonly directory: string;
  /** Where to look for libraries. */
  readonly library: readonly string[];
}

/** Reads all that a program imports. @throws {ProgramError | ModuleError} */
export async function loadModules(
  { source, directory, library }: ModuleOptions,
  context: ShellCommandContext,
): Promise<Module> {
  const loader = new Loader(context, library);
  const home = await loader.homeLibrary();
  const module = await loader.load(source, directory, undefined);
  if (!home) return module;
  return { ...module, imports: [{ prefix: "", module: home }, ...module.imports] };
}

class Loader {
  readonly #context: ShellCommandContext;
  readonly #library: readonly string[];
  readonly #known = new Map<string, Module>();
  /** The files whose imports are being read. */
  readonly #open = new Set<string>();

  constructor(context: ShellCommandContext, library: readonly string[]) {
    this.#context = context;
    this.#library = library;
  }

  /** The definitions of `~/.jq`, which every program has. */
  async homeLibrary(): Promise<Module | undefined> {
    const { env } = this.#context;
    const file = `${env["HOME"] ?? ""}/.jq`;
    return (await this.#isFile(file)) ? this.#loadFile(file) : undefined;
  }

  async load(source: string, directory: string, file: string | undefined): Promise<Module> {
    const program = parsed(source, file);
    const imports: { prefix: string; module: Module }[] = [];
    const data: [string, Value][] = [];
    for (const each of program.imports) {
      const found = await this.#find(each, directory);
      const { name = "" } = each;
      if (each.isData) {
        const value = await this.#loadData(found);
        data.push([name, value], [`${name}::${name}`, value]);
      } else {
        const prefix = name === "" ? "" : `${name}::`;
        imports.push({ prefix, module: await this.#loadFile(found) });
      }
    }
    return { program, source, file, imports, data };
  }

  async #loadFile(file: string): Promise<Module> {
    const known = this.#known.get(file);
    if (known) return known;
    if (this.#open.has(file)) throw new ModuleError(`error: module imports itself: ${file}`);
    this.#open.add(file);
    const module = await this.load(await this.#read(file), dirname(file), file);
    this.#open.delete(file);
    if (module.program.body)
      throw new ModuleError(
        "error: library should only have function definitions, not a main expression",
      );
    this.#known.set(file, module);
    return module;
  }

  async #loadData(file: string): Promise<Value> {
    try {
      return parseValues(await this.#read(file));
    } catch (error) {
      throw new ModuleError(`error loading data file ${file}: ${errorMessage(error)}`);
    }
  }

  /** The file of a library, which may be in a directory of its name. */
  async #find({ path, isData, search }: Import, directory: string): Promise<string> {
    const places = search === undefined ? [".", ...this.#library] : [search].flat();
    const last = path.split("/").at(-1) ?? "";
    const ending = isData ? ".json" : ".jq";
    for (const place of places) {
      if (typeof place !== "string") continue;
      const start = this.#resolve(place, directory);
      for (const name of [path, `${path}/${last}`]) {
        const file = this.#context.resolve(`${start}/${name}${ending}`);
        if (await this.#isFile(file)) return file;
      }
    }
    throw new ModuleError(`error: module not found: ${path}`);
  }

  #resolve(place: string, directory: string): string {
    if (place.startsWith("~/")) return `${this.#context.env["HOME"] ?? ""}${place.slice(1)}`;
    if (place.startsWith("/")) return place;
    return `${place.startsWith("$ORIGIN/") ? "/usr/bin" : directory}/${place.replace(/^\$ORIGIN\//, "")}`;
  }

  async #isFile(path: string): Promise<boolean> {
    try {
      return (await this.#context.fs.stat(this.#context.resolve(path))).type === "file";
    } catch (error) {
      if (error instanceof FileSystemError) return false;
      throw error;
    }
  }

  async #read(file: string): Promise<string> {
    try {
      return await readTextOperand(this.#context, file);
    } catch (error) {
      throw new ModuleError(`error: Could not open ${errorMessage(error)}`);
    }
  }
}

function parsed(source: string, file: string | undefined): Program {
  return inFile({ source, file }, () => parseProgram(source));
}

/** Notes in errors which text they are in. */
export function inFile<Result>(
  { source, file }: Pick<Module, "source" | "file">,
  run: () => Result,
): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProgramError) error.origin ??= { source, file };
    throw error;
  }
}
