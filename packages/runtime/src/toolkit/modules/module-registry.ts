import { ConfigurationError } from "../../errors.ts";
import type { JsonObject, JsonValue } from "../../messages/message.ts";
import { nameHint } from "../../messages/near-names.ts";
import { createFunctionTool } from "../../tools/function-tool.ts";
import type { Tool, ToolAccess } from "../../tools/tool.ts";

/** Context of a running module. */
export interface ModuleContext {
  signal: AbortSignal;
  /** Runs a module that this one declares as a dependency. */
  call: (name: string, input: unknown) => Promise<unknown>;
}

/** A piece of work with a name, that programs, other modules and, as a tool, models can ask for. */
export interface Module<Input = unknown, Output = unknown> {
  readonly name: string;
  readonly description?: string;
  /** Modules that it calls; they are ready before it is. */
  readonly dependencies?: readonly string[];
  /** Called once, before the first run. */
  initialize?(): Promise<void> | void;
  execute(input: Input, context: ModuleContext): Promise<Output> | Output;
  dispose?(): Promise<void> | void;
}

/** Called for every run of every module. An exception of a hook fails the run. */
export interface ModuleHooks {
  beforeExecute?(name: string, input: unknown): Promise<void> | void;
  afterExecute?(name: string, output: unknown, durationMs: number): Promise<void> | void;
  onError?(name: string, error: unknown): Promise<void> | void;
}

/** Modules by name. They are initialised at first use, after their dependencies. */
export class ModuleRegistry {
  readonly #hooks: ModuleHooks;
  readonly #modules = new Map<string, Module>();
  /** Initialisations in the order of their start. */
  readonly #ready = new Map<string, Promise<void>>();

  constructor(modules: Iterable<Module> = [], hooks: ModuleHooks = {}) {
    this.#hooks = hooks;
    for (const module of modules) this.register(module);
  }

  /** Registers a module; dependencies may follow. @throws {ConfigurationError} when the name is empty or taken */
  register(module: Module): this {
    const { name } = module;
    if (name.trim() === "" || this.#modules.has(name)) {
      throw new ConfigurationError(
        name.trim() === "" ? "A module has no name" : `There is a module "${name}" already`,
        { hint: "Give each module a name of its own." },
      );
    }
    this.#modules.set(name, module);
    return this;
  }

  get(name: string): Module | undefined {
    return this.#modules.get(name);
  }

  list(): Module[] {
    return [...this.#modules.values()];
  }

  /**
   * Runs a module, initialising it and its dependencies first if needed.
   * @throws {ConfigurationError} for unknown modules and circular dependencies; otherwise the module's own error
   */
  async execute(
    name: string,
    input: unknown,
    options: { signal?: AbortSignal } = {},
  ): Promise<unknown> {
    const module = this.#lookup(name);
    this.#checkDependencies(name, []);
    await this.#prepare(name);
    const { signal = new AbortController().signal } = options;
    signal.throwIfAborted();
    const context: ModuleContext = {
      signal,
      call: (dependency, value) => {
        if (module.dependencies?.includes(dependency))
          return this.execute(dependency, value, { signal });
        throw new ConfigurationError(`${name} does not depend on ${dependency}`, {
          hint: `Add "${dependency}" to the dependencies of ${name}.`,
        });
      },
    };
    const begun = performance.now();
    try {
      await this.#hooks.beforeExecute?.(name, input);
      const output = await module.execute(input, context);
      await this.#hooks.afterExecute?.(name, output, performance.now() - begun);
      return output;
    } catch (error) {
      await this.#hooks.onError?.(name, error);
      throw error;
    }
  }

  /** Releases the modules' resources, dependents first. They may be used again. */
  async dispose(): Promise<void> {
    const names = [...this.#ready.keys()].toReversed();
    this.#ready.clear();
    for (const name of names) await this.#modules.get(name)?.dispose?.();
  }

  #lookup(name: string): Module {
    const module = this.#modules.get(name);
    if (module) return module;
    throw new ConfigurationError(`There is no module "${name}"`, {
      hint: nameHint(name, this.#modules.keys()),
    });
  }

  #checkDependencies(name: string, path: readonly string[]): void {
    if (path.includes(name)) {
      const circle = [...path.slice(path.indexOf(name)), name];
      throw new ConfigurationError(`Modules depend on each other: ${circle.join(" → ")}`, {
        hint: "Move the shared part into a module of its own.",
      });
    }
    for (const dependency of this.#lookup(name).dependencies ?? [])
      this.#checkDependencies(dependency, [...path, name]);
  }

  /** Each module once, also when several runs need it at the same time. */
  #prepare(name: string): Promise<void> {
    const known = this.#ready.get(name);
    if (known) return known;
    const module = this.#lookup(name);
    const dependencies = (module.dependencies ?? []).map((dependency) => this.#prepare(dependency));
    const ready = Promise.all(dependencies).then(() => module.initialize?.());
    this.#ready.set(name, ready);
    // A failed start may succeed next time; the current caller gets its error.
    ready.catch(() => this.#ready.delete(name));
    return ready;
  }
}

export interface ModuleToolOptions {
  /** The module's own description when omitted. */
  description?: string | undefined;
  /** JSON Schema of the module's input, which has to be an object. */
  parameters: JsonObject;
  /** The module's effect on the world. */
  access: ToolAccess;
}

/** Makes a module a tool for an agent. */
export function createModuleTool(
  registry: ModuleRegistry,
  name: string,
  options: ModuleToolOptions,
): Tool {
  const { parameters, access } = options;
  const description = options.description ?? registry.get(name)?.description ?? "";
  const tool = createFunctionTool(name, description, parameters, async (args, { signal }) => {
    const output = await registry.execute(name, args, { signal });
    return output as JsonValue | undefined;
  });
  return {
    name,
    description,
    parameters,
    access,
    execute: (args, context) => tool.execute(args, context),
  };
}
