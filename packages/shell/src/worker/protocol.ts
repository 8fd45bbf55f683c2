import type {
  FileSystemErrorCode,
  FileSystem,
  ShellOutput,
  ShellResult,
} from "@robota/runtime/ports";
import type { GitOptions } from "../git/options.ts";
import type { ShellLimits } from "../limits.ts";
import type { FetchRequest, FetchResponse } from "../network.ts";
import type { ShellState } from "../session.ts";

/**
 * One end of the line between who asks for commands and the worker that runs them: messages are cloned as
 * `structuredClone` does it, and come in order. What is in `transfer` may be moved or copied.
 */
export interface WorkerPort<Sent, Received> {
  post(message: Sent, transfer: readonly ArrayBuffer[]): void;
  /** Called once, before anything else happens to the port. */
  listen(listener: (message: Received) => void): void;
}

/** Host to worker. */
export type ToWorker =
  | { type: "start"; options: StartOptions }
  | { type: "command"; command: CommandMessage }
  | { type: "replies"; replies: HostReply[] };

/** Worker to host. */
export type FromWorker =
  /** It has loaded and takes commands. */
  | { type: "ready" }
  | { type: "progress"; progress: ProgressMessage }
  | { type: "calls"; calls: HostCall[] };

/** How the shell of a worker is made; told once and first. */
export interface StartOptions {
  env: Record<string, string>;
  home: string | undefined;
  limits: ShellLimits | undefined;
  canFetch: boolean;
  git: Omit<GitOptions, "fetch" | "pinnedFetch"> & { canFetch: boolean };
}

export type CommandMessage =
  | {
      type: "exec";
      id: number;
      command: string;
      cwd: string;
      env: Record<string, string> | undefined;
      stdin: string | undefined;
      timeoutMs: number | undefined;
      maxOutputBytes: number | undefined;
      /** Whether the host has rules to be asked about each command. */
      hasRules: boolean;
    }
  | { type: "abort"; id: number };

export type ProgressMessage =
  | { type: "output"; id: number; chunks: ShellOutput[] }
  | {
      type: "exit";
      id: number;
      exitCode: number;
      timedOut: boolean;
      truncated: boolean;
      cwd?: string;
      env?: NonNullable<ShellResult["env"]>;
      state: ShellState | undefined;
    }
  | { type: "failed"; id: number; message: string; hint: string };

/** What every file system can do; what only some can stays with the host. */
type FileMethod = {
  [Method in keyof FileSystem]-?: undefined extends FileSystem[Method] ? never : Method;
}[keyof FileSystem];

/** The calls of the host's files by their names. */
export type RemoteFiles = Pick<FileSystem, FileMethod>;

type FileCall = {
  [Method in FileMethod]: { method: Method; args: Parameters<RemoteFiles[Method]> };
}[FileMethod];

/** What came of a request: a program is told by the sentence why there is no answer. */
export type FetchOutcome = { answer: FetchResponse } | { failure: string };

/** In place of a command's number in what the shell itself asks of its host. Commands count from 1. */
export const NO_COMMAND = 0;

/** For the command that was started under this number. */
export type HostCall = { id: number; command: number } & (
  | FileCall
  | { method: "fetch" | "gitFetch"; args: [FetchRequest] }
  | { method: "refusesCommand"; args: [words: readonly string[], cwd: string] }
);

export type HostReply =
  | { id: number; value: unknown }
  | { id: number; error: { code: FileSystemErrorCode; path: string; hint: string } };
