/** The part of just-bash 3.4 that the virtual shell uses, as `scripts/vendor.ts` builds it. */

/** One byte per character (0 to 255), the form of all data in a pipe. */
export type ByteString = string;

export interface EngineStat {
  isFile: boolean;
  isDirectory: boolean;
  isSymbolicLink: boolean;
  mode: number;
  size: number;
  mtime: Date;
  identity: string;
}

export interface EngineEntry {
  name: string;
  isFile: boolean;
  isDirectory: boolean;
  isSymbolicLink: boolean;
}

export type EngineEncoding = string | { encoding?: string | null };

export interface EngineFileSystem {
  readFile(path: string, encoding?: EngineEncoding): Promise<string>;
  readFileBytes(path: string): Promise<ByteString>;
  readFileBuffer(path: string): Promise<Uint8Array>;
  writeFile(path: string, data: string | Uint8Array, encoding?: EngineEncoding): Promise<void>;
  appendFile(path: string, data: string | Uint8Array, encoding?: EngineEncoding): Promise<void>;
  exists(path: string): Promise<boolean>;
  stat(path: string): Promise<EngineStat>;
  lstat(path: string): Promise<EngineStat>;
  mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
  readdir(path: string): Promise<string[]>;
  readdirWithFileTypes(path: string): Promise<EngineEntry[]>;
  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
  cp(from: string, to: string, options?: { recursive?: boolean }): Promise<void>;
  mv(from: string, to: string): Promise<void>;
  resolvePath(base: string, path: string): string;
  getAllPaths(): string[];
  chmod(path: string, mode: number): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  utimes(path: string, atime: Date, mtime: Date): Promise<void>;
}

/** Added by `scripts/vendor.ts`: called for every statement of a script. */
export interface StatementHook {
  runStatement(
    statement: SyntaxNode,
    run: () => Promise<EngineResult>,
    interpreter: { readonly state: InterpreterState },
  ): Promise<EngineResult>;
}

/** Added by `scripts/vendor.ts`: called before every command, however it was started. */
export interface DispatchHook {
  /** The result of a refused command; `undefined` for an allowed one. */
  refuseCommand(
    words: readonly string[],
    cwd: string,
  ): Promise<EngineResult | undefined> | undefined;
}

/** Added by `scripts/vendor.ts`: called by long-running programs to pause. */
export interface PaceHook {
  /** Counts steps, one by default. Rejects when the program must end. */
  pace(steps?: number): Promise<void> | undefined;
  /** True when the program must end, for one that can't pause. */
  isOver(): boolean;
}

export interface InterpreterState {
  cwd: string;
  env: ReadonlyMap<string, string>;
  exportedVars?: ReadonlySet<string>;
}

export interface SyntaxNode {
  type: string;
}

export interface Statement extends SyntaxNode {
  pipelines: { commands: SyntaxNode[] }[];
}

export interface Script extends SyntaxNode {
  statements: Statement[];
}

export interface EngineResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  stdoutKind?: "text" | "bytes";
  stdoutEncoding?: "binary";
  internalOutputAccounting?: { stdout: number; stderr: number };
}

export interface EngineCommandContext {
  fs: EngineFileSystem & Partial<PaceHook>;
  cwd: string;
  env: ReadonlyMap<string, string>;
  exportedEnv?: Record<string, string>;
  stdin: ByteString;
  /** Added by `scripts/vendor.ts`, in a stage of a pipeline that runs concurrently. */
  stream?: {
    /** Reads piped input as it arrives; `undefined` at the end. */
    read?: () => Promise<ByteString | undefined>;
    write?: (bytes: ByteString) => Promise<void> | undefined;
    assertReader?: () => void;
  };
  signal?: AbortSignal;
  /** The network of `curl`. */
  fetch?: SecureFetch;
  getRegisteredCommands?: () => string[];
  limits?: { maxAwkIterations: number; maxStringLength: number };
  /** The command of the same name before its replacement. */
  origCommand?(args: string[]): Promise<EngineResult>;
  exec?(
    command: string,
    options: {
      cwd: string;
      env?: Record<string, string>;
      stdin?: string | undefined;
      stdinKind?: "text" | "bytes";
      args?: string[];
      signal?: AbortSignal | undefined;
    },
  ): Promise<EngineResult>;
}

export interface EngineCommand {
  name: string;
  execute(args: string[], context: EngineCommandContext): Promise<EngineResult>;
}

export interface EngineOptions {
  fs: EngineFileSystem & StatementHook & DispatchHook;
  cwd: string;
  env: Record<string, string>;
  executionLimits: Record<string, number>;
  defenseInDepth: false;
  commands?: string[];
  fetch?: SecureFetch;
}

export type SecureFetch = (
  url: string,
  options?: {
    method?: string;
    headers?: Record<string, string>;
    body?: string;
    followRedirects?: boolean;
    timeoutMs?: number;
    signal?: AbortSignal;
  },
) => Promise<{
  status: number;
  statusText: string;
  headers: Record<string, string>;
  body: Uint8Array;
  url: string;
}>;

/** Added by `scripts/vendor.ts`: receives the output of a script as it is printed. */
export interface OutputSink {
  write(stdout: string, stderr: string): undefined;
}

/** The initial state of every script: the interpreter copies everything but the hash table of commands. */
export interface InitialState {
  cwd: string;
  env: Map<string, string>;
  exportedVars: Set<string>;
  /** Start in terms of `Date.now`, for `$SECONDS`. */
  startTime: number;
  hashTable: Map<string, string>;
}

/** Fields that are private in the package's own types. */
export class Bash {
  fs: EngineOptions["fs"];
  state: InitialState;
  /** The fetch function of `curl`. */
  secureFetch: SecureFetch | undefined;
  /** All limits, with defaults for those that the options don't have. */
  readonly limits: Record<string, number>;
  /** Commands by name. */
  commands: Map<string, EngineCommand>;
  constructor(options: EngineOptions);
  registerCommand(command: EngineCommand): void;
  exec(
    command: string,
    options: {
      rawScript: true;
      stdin?: string | undefined;
      signal?: AbortSignal | undefined;
      sink?: OutputSink;
    },
  ): Promise<EngineResult>;
}
