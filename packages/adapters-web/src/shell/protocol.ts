import type { FileSystem, FileSystemErrorCode, ShellOutput } from "@robota/runtime";
import type { ShellLimits, ShellState } from "@robota/runtime/virtual";

/** Page to worker, once and first: how the shell is made, and the ports for everything else. */
export interface StartMessage {
  env: Record<string, string>;
  home: string | undefined;
  limits: ShellLimits | undefined;
  canFetch: boolean;
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
      state: ShellState | undefined;
    }
  | { type: "failed"; id: number; message: string; hint: string };

/** A call of the page's files by the method's name. */
export type FileCall = {
  [Method in keyof FileSystem]: { method: Method; args: Parameters<FileSystem[Method]> };
}[keyof FileSystem];

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

/** Worker to page, on the port for the host. */
export type HostCall = { id: number } & (FileCall | { method: "fetch"; args: [FetchRequest] });

export type HostReply =
  | { id: number; value: unknown }
  | { id: number; error: { code: FileSystemErrorCode; path: string; hint: string } };
