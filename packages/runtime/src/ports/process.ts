/** A program to run beside a session, such as a server on stdio. */
export interface ProcessOptions {
  /** A program by its path or its name; no shell reads it. */
  command: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  /** Variables beside those that the host gives every command. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Takes what it writes on its standard error, in pieces. */
  onErrorOutput?(text: string): void;
}

/** A program that runs. */
export interface RunningProcess {
  /** Its standard output; ends when the process has ended. */
  readonly output: ReadableStream<Uint8Array>;
  /** Resolves with its exit code when it has ended; `null` after a signal. */
  readonly exited: Promise<number | null>;
  /** Writes to its standard input. Rejects when it no longer reads. */
  write(text: string): Promise<void>;
  /** Ends it and everything that it started; resolves when they are gone. Safe to call twice. */
  end(): Promise<void>;
}
