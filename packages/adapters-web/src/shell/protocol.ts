import type { FileSystem, FileSystemErrorCode, ShellOutput, ShellResult } from "@robota/runtime";
import type { GitOptions, ShellLimits, ShellState } from "@robota/runtime/virtual";

/** Page to worker, once and first: how the shell is made, and the ports for everything else. */
export interface StartMessage {
  env: Record<string, string>;
  home: string | undefined;
  limits: ShellLimits | undefined;
  canFetch: boolean;
  git: Omit<GitOptions, "fetch"> & { canFetch: boolean };
  commands: MessagePort;
  host: MessagePort;
}

/** Page to worker, on the port for commands. */
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
      /** Whether the page has rules to be asked about each command. */
      hasRules: boolean;
    }
  | { type: "abort"; id: number };

/** Worker to page, on the port for commands. */
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

/** What every file system can do; what only some can stays on the page. */
type FileMethod = {
  [Method in keyof FileSystem]-?: undefined extends FileSystem[Method] ? never : Method;
}[keyof FileSystem];

/** The calls of the page's files by their names. */
export type RemoteFiles = Pick<FileSystem, FileMethod>;

type FileCall = {
  [Method in FileMethod]: { method: Method; args: Parameters<RemoteFiles[Method]> };
}[FileMethod];

export interface FetchRequest {
  url: string;
  method: string;
  headers: [string, string][];
  body: ArrayBuffer | undefined;
}

export interface FetchResponse {
  status: number;
  statusText: string;
  headers: [string, string][];
  body: ArrayBuffer;
}

/** In place of a command's number in what the shell itself asks of the page. Commands count from 1. */
export const NO_COMMAND = 0;

/** Worker to page, on the port for the host, for the command that was started under this number. */
export type HostCall = { id: number; command: number } & (
  | FileCall
  | { method: "fetch" | "gitFetch"; args: [FetchRequest] }
  | { method: "refusesCommand"; args: [words: readonly string[], cwd: string] }
);

export type HostReply =
  | { id: number; value: unknown }
  | { id: number; error: { code: FileSystemErrorCode; path: string; hint: string } };
