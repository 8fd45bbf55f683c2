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
 * One end of the channel between the caller of commands and the worker that runs them: messages are structured-cloned,
 * and arrive in order. Buffers in `transfer` may be moved or copied.
 */
export interface WorkerPort<Sent, Received> {
  post(message: Sent, transfer: readonly ArrayBuffer[]): void;
  /** Registers the listener; called once, before any other use of the port. */
  listen(listener: (message: Received) => void): void;
}

/** Messages from host to worker. */
export type ToWorker =
  | { type: "start"; options: StartOptions }
  | { type: "command"; command: CommandMessage }
  | { type: "replies"; replies: HostReply[] };

/** Messages from worker to host. */
export type FromWorker =
  /** The worker has loaded and accepts commands. */
  | { type: "ready" }
  | { type: "progress"; progress: ProgressMessage }
  | { type: "calls"; calls: HostCall[] };

/** Options of the shell in a worker; sent once and first. */
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
      /** True if the host has rules to check for each command. */
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
      cwd?: string | undefined;
      env?: NonNullable<ShellResult["env"]> | undefined;
      state: ShellState | undefined;
    }
  | { type: "failed"; id: number; message: string; hint: string };

/** Methods of every file system; optional ones stay with the host. */
type FileMethod = {
  [Method in keyof FileSystem]-?: undefined extends FileSystem[Method] ? never : Method;
}[keyof FileSystem];

/** The host's file operations by name. */
export type RemoteFiles = Pick<FileSystem, FileMethod>;

type FileCall = {
  [Method in FileMethod]: { method: Method; args: Parameters<RemoteFiles[Method]> };
}[FileMethod];

/** The outcome of a request: a failure is a message for the program. */
export type FetchOutcome = { answer: FetchResponse } | { failure: string };

/** Replaces a command's number in calls of the shell itself. Commands count from 1. */
export const NO_COMMAND = 0;

/** A call for the command with this number. */
export type HostCall = {
  id: number;
  command: number;
  /** For files inside a repository that the shell's own `git` reaches. */
  isGit?: boolean;
  /** For files of the working tree that the shell's own `git` reaches; `cloned` as in `WorktreeWrite`. */
  worktree?: { cloned: string | undefined } | undefined;
} & (
  | FileCall
  | { method: "fetch" | "gitFetch"; args: [FetchRequest] }
  | {
      method: "refusesWorktree";
      args: [paths: readonly string[], cloned: string | undefined];
    }
  | { method: "refusesCommand"; args: [words: readonly string[], cwd: string] }
);

export type HostReply =
  | { id: number; value: unknown }
  | { id: number; error: { code: FileSystemErrorCode; path: string; hint: string } };
