import type { ProgramLimits } from "../../limits.ts";

/** One byte per character (0 to 255), the form of all data in a pipe. */
export type ByteString = string;

export interface EngineStat {
  isFile: boolean;
  isDirectory: boolean;
  isSymbolicLink: boolean;
  mode: number;
  size: number;
  mtime: Date;
}

export interface EngineEntry {
  name: string;
  isFile: boolean;
  isDirectory: boolean;
  isSymbolicLink: boolean;
}

export interface EngineFileSystem {
  readFileBuffer(path: string): Promise<Uint8Array>;
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
  appendFile(path: string, data: string | Uint8Array): Promise<void>;
  stat(path: string): Promise<EngineStat>;
  lstat(path: string): Promise<EngineStat>;
  mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
  readdirWithFileTypes(path: string): Promise<EngineEntry[]>;
  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
  mv(from: string, to: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  utimes(path: string, atime: Date, mtime: Date): Promise<void>;
}

/** Called by long-running programs to pause. */
export interface PaceHook {
  /** Counts steps, one by default. Rejects when the program must end. */
  pace(steps?: number): Promise<void> | undefined;
  /** True when the program must end, for one that can't pause. */
  isOver(): boolean;
}

export interface EngineResult {
  /** Bytes, or text to encode as UTF-8. */
  stdout: string | Uint8Array;
  stderr: string;
  exitCode: number;
}

/** The surroundings of a program that another one runs. */
export interface NestedCall {
  cwd: string;
  env: Readonly<Record<string, string>>;
  args: readonly string[];
  /** The running program's own input when omitted. */
  stdin?: string | undefined;
}

export interface EngineCommandContext {
  fs: EngineFileSystem & Partial<PaceHook>;
  cwd: string;
  /** Rights that new files don't have; those that `fs` creates lack them already. */
  umask: number;
  env: ReadonlyMap<string, string>;
  exportedEnv?: Record<string, string>;
  stdin: ByteString;
  /** Added by this shell: its input as it arrives, and its output as it is printed. */
  stream?: {
    /** Reads piped input as it arrives; `undefined` at the end. */
    read?: () => Promise<Uint8Array | undefined>;
    /** Reads all piped input, once it is written. */
    readAll?: () => Promise<Uint8Array>;
    write?: (bytes: Uint8Array) => Promise<void> | undefined;
    assertReader?: () => void;
    /** The file that the input comes from, if it is one. */
    inputPath?: string | undefined;
    /** The file that the output goes to, if it is one. */
    outputPath?: string | undefined;
  };
  signal?: AbortSignal;
  limits?: ProgramLimits;
  /** Runs a program with arguments that no shell expands. */
  exec?(program: string, options: NestedCall): Promise<EngineResult>;
}

export interface EngineCommand {
  name: string;
  execute(args: string[], context: EngineCommandContext): Promise<EngineResult>;
}
