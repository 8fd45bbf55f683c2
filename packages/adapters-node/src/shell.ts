import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type FileSystem, ShellError, type Shell } from "@robota/runtime";
import { type ShellOptions, type ShellResult } from "@robota/runtime/ports";
import type { PooledShell } from "@robota/shell";
import { RunningCommand } from "./processes/run-command.ts";
import { nodeVirtualShell } from "./virtual-shell/virtual-shell.ts";
import { cleanEnvironment, isUnwanted } from "./shell-environment.ts";

const USUAL_DIRECTORIES = ["/bin", "/usr/bin", "/usr/local/bin"];

export interface NodeShellOptions {
  /**
   * Source of every command's environment; by default this process's own. Commands get known useful variables such as
   * `PATH`, `LANG`, `CI` and `JAVA_HOME`, except those that look like a secret by name (`…_KEY`, `…_TOKEN`,
   * `…_PASSWORD`) or value.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Names of variables of `env` that commands get as well, unconditionally. */
  allowEnv?: readonly string[] | undefined;
  /** Absolute path of the shell; by default the first `bash` of `PATH`, or else the first `sh`. */
  program?: string | undefined;
}

/**
 * The machine's own shell. It reads no start-up files, has no terminal, and runs with the rights of this process's
 * user. An abort or a timeout ends the command and all its descendants, including daemons; only a process that clears
 * its environment and leaves its session and its parent escapes.
 *
 * `exec` resolves when the shell has ended. Background processes continue, with their output discarded, until
 * `dispose`.
 */
export class NodeShell implements Shell, AsyncDisposable {
  readonly kind = "native" as const;
  readonly #given: Readonly<Record<string, string | undefined>>;
  readonly #allowed: readonly string[] | undefined;
  #clean: Readonly<Record<string, string>> | undefined;
  #program: string | undefined;
  readonly #commands = new Set<RunningCommand>();
  #virtual: PooledShell | undefined;
  #isClosed = false;

  constructor(options: NodeShellOptions = {}) {
    this.#given = { ...(options.env ?? process.env) };
    this.#allowed = options.allowEnv;
    this.#program = options.program;
  }

  /** @throws {ShellError} When `cwd` is not a directory, when no shell can be started, or after `dispose`. */
  async exec(command: string, options: ShellOptions): Promise<ShellResult> {
    if (options.signal?.aborted) {
      return { exitCode: 130, stdout: "", stderr: "", timedOut: false, truncated: false };
    }
    await requireDirectory(options.cwd);
    const program = (this.#program ??= await findShell(this.#env.PATH));
    this.#requireOpen();
    const running = await RunningCommand.start(command, {
      ...options,
      program,
      programArguments: basename(program) === "bash" ? ["--noprofile", "--norc"] : [],
      env: this.#environment(options.env),
      onOutput: (chunk) => options.onOutput?.(chunk),
    });
    this.#commands.add(running);
    void running.finished.then(() => this.#commands.delete(running));
    if (this.#isClosed) await running.end();
    return running.result;
  }

  describe(): string {
    const { arch, platform } = process;
    const program =
      this.#program === undefined ? "bash, or sh where there is none," : basename(this.#program);
    return `Commands run in ${program} on this machine (${platform}, ${arch}), with its programs, its files and its network.`;
  }

  virtual(fs: FileSystem): Shell {
    this.#virtual ??= nodeVirtualShell({ fs });
    return this.#virtual.over(fs);
  }

  /** Ends every running command, and background processes of earlier ones that still hold their output. */
  async dispose(): Promise<void> {
    this.#isClosed = true;
    this.#virtual?.dispose();
    await Promise.all(Array.from(this.#commands, (command) => command.end()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** Made for the first command: the search for secrets takes longer than the rest of a platform. */
  get #env(): Readonly<Record<string, string>> {
    return (this.#clean ??= cleanEnvironment(this.#given, this.#allowed));
  }

  #requireOpen(): void {
    if (!this.#isClosed) return;
    throw new ShellError("The shell was closed.", {
      hint: "Make a new platform: this one was disposed.",
    });
  }

  #environment(added: Record<string, string> = {}): Record<string, string> {
    const env: Record<string, string> = {};
    for (const [name, value] of Object.entries({ ...this.#env, ...added })) {
      if (!isUnwanted(name)) env[name] = value;
    }
    return env;
  }
}

async function requireDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  throw new ShellError(`No command can start in ${path}: it is not a directory.`, {
    hint: "Create the directory first, or pass another cwd.",
  });
}

async function findShell(path = ""): Promise<string> {
  const directories = [
    ...path.split(":").filter((part) => part.startsWith("/")),
    ...USUAL_DIRECTORIES,
  ];
  for (const name of ["bash", "sh"]) {
    for (const directory of directories) {
      const candidate = join(directory, name);
      if (await isExecutable(candidate)) return candidate;
    }
  }
  throw new ShellError("This machine has neither bash nor sh.", {
    hint: "Install bash, or choose the virtual shell: nodePlatform({ shell: 'virtual' }).",
  });
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
