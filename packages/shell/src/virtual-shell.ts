import {
  type FileSystem,
  type OptionForms,
  requireOptions,
  type Shell,
  type ShellResult,
} from "@robota/runtime/ports";
import { describeShell } from "./description.ts";
import type { ExecutionOptions, UserFiles } from "./execution.ts";
import { type Interpreter, loadInterpreter } from "./load-interpreter.ts";
import type { VirtualShellOptions } from "./options.ts";
import type { StatefulShell } from "./session.ts";

const OPTIONS: OptionForms<VirtualShellOptions> = {
  fs: "object",
  env: "object",
  home: "string",
  limits: "object",
  fetch: "function",
  pinnedFetch: "function",
  policy: "object",
  git: "object",
  scripts: "object",
  customCommands: "array",
};

/**
 * An interpreted bash over the files of a `FileSystem`: the same in a tab, in a worker and in Node.
 *
 * It starts no process of the host and reaches no network. Every `exec` is a fresh shell; `createShellSession` keeps the
 * directory and the environment between calls. The interpreter (80 kB gzipped) loads with the first command, each of its
 * programs on first use. Output is streamed. A command looks for an abort every 15 ms, but a single call of the host's own
 * engine, such as parsing a lot of JSON, can't be paused: on a page, run the shell in a worker (`workerShell` in
 * `@robota/adapters-web`).
 *
 * `docs/shell.md` compares it with bash. The stages of a pipeline run side by side and end when their reader has gone.
 * Background jobs run beside the script, and a command ends with its last job. There are no hard links.
 */
export class VirtualShell implements Shell, StatefulShell {
  readonly kind = "virtual" as const;
  readonly beyondFiles: readonly string[];
  readonly #description: string;
  readonly #files: UserFiles;
  readonly #interpreter: () => Promise<Interpreter>;

  constructor(options: VirtualShellOptions) {
    requireOptions(options, OPTIONS);
    this.#files = { fs: options.fs, present: new Set() };
    this.#interpreter = loadInterpreter(options);
    const custom = (options.customCommands ?? []).map(({ name }) => name);
    this.beyondFiles = [...(options.fetch ? ["curl"] : []), ...custom];
    this.#description = describeShell(options, custom);
  }

  /** @throws {ShellError} When `cwd` is not a directory, or the interpreter can't be loaded. */
  async exec(command: string, options: ExecutionOptions): Promise<ShellResult> {
    const interpreter = await this.#interpreter();
    return interpreter(this.#files, command, options);
  }

  async load(): Promise<void> {
    await this.#interpreter();
  }

  describe(): string {
    return this.#description;
  }

  over(fs: FileSystem): StatefulShell {
    const files: UserFiles = { fs, present: new Set() };
    return {
      kind: this.kind,
      beyondFiles: this.beyondFiles,
      load: () => this.load(),
      describe: () => this.#description,
      exec: async (command, options) => (await this.#interpreter())(files, command, options),
      over: (other) => this.over(other),
    };
  }
}
