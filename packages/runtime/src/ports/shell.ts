import type { AccessRules } from "./access.ts";
import type { FileSystem } from "./file-system.ts";

export interface ShellOptions {
  /** Absolute; where the command starts. */
  cwd: string;
  /** Added to (and overriding) the shell's own environment. */
  env?: Record<string, string> | undefined;
  stdin?: string | undefined;
  /** Ends the command, and on a native shell everything it started, within 250 ms. */
  signal?: AbortSignal | undefined;
  /** Ends the command as `signal` does; the result says `timedOut`. No limit when omitted. */
  timeoutMs?: number | undefined;
  /** On a native shell, also ends processes that the command left running when it exited. */
  endsLeftovers?: boolean | undefined;
  /** Bytes of stdout and stderr together that are kept; the rest is dropped and the result says `truncated`. */
  maxOutputBytes?: number | undefined;
  /** Called with output as it arrives, in order, before `exec` resolves. */
  onOutput?(chunk: ShellOutput): void;
  /**
   * Asked for every command at its start and every file at its opening, on a virtual shell. A native shell can't ask:
   * its programs use the machine directly.
   */
  rules?: AccessRules | undefined;
}

/** A piece of output, as it arrives. */
export interface ShellOutput {
  stream: "stdout" | "stderr";
  text: string;
}

/** The outcome of a command. A failing command is a result; only a shell that can't start one rejects. */
export interface ShellResult {
  /** Exit status as in POSIX shells: 124 after a timeout, 126 not executable, 127 not found, 130 after an abort. */
  exitCode: number;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  truncated: boolean;
  /** True when a virtual shell got answers of other machines. A native one can't tell. */
  usedNetwork?: boolean | undefined;
  /** The absolute directory in which the command ended (after a `cd`), if known; absent after it was killed. */
  cwd?: string | undefined;
  /**
   * The exported variables that differ from those at the start; a variable that is no longer exported is `undefined`.
   * Left out when unknown. Not for logs: a value may be a secret.
   */
  env?: Record<string, string | undefined> | undefined;
}

/**
 * Runs bash command lines.
 *
 * `exec` resolves for every command that could be started, whatever its exit status, also after an abort or a timeout
 * with the output so far; it rejects with a `ShellError` only when no shell could run at all. Calls are independent of
 * each other and may overlap. `shellContract` in `testing/` is the executable form of these comments.
 */
export interface Shell {
  /** `native` runs processes of the machine; `virtual` interprets over the `FileSystem` port and reaches nothing else. */
  readonly kind: "native" | "virtual";
  exec(command: string, options: ShellOptions): Promise<ShellResult>;
  /**
   * Loads what commands need, for callers that give a command a limited time; `exec` loads it otherwise. A failure shows
   * in `exec`.
   */
  load?(): Promise<void>;
  /** Describes to a model what command lines can use here, in a few sentences for a prompt. */
  describe?(): string;
  /** The same shell over other files, which takes no time; only a virtual shell can. */
  over?(fs: FileSystem): Shell;
  /** On a native shell: a virtual one over other files, which the machine's programs can't see. */
  virtual?(fs: FileSystem): Shell;
  /**
   * Names of commands of a virtual shell that reach more than files, such as `curl`. Its `git` is not among them: it asks
   * `refusesAddress` before each request.
   */
  readonly beyondFiles?: readonly string[];
}
