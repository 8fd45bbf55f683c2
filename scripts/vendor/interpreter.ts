/** Types of the interpreter, as far as the additions of `scripts/vendor.ts` use them. */

export interface Result {
  stdout: string;
  stderr: string;
  exitCode: number;
  stdoutKind?: "text" | "bytes";
  internalOutputAccounting?: { stdout: number; stderr: number };
}

export interface Node {
  type: string;
}

export interface WordNode extends Node {
  parts: (Node & { value?: string })[];
}

export interface Redirection {
  operator: string;
  fd: number | null;
  target: Node & { parts?: WordNode["parts"] };
}

export interface Command extends Node {
  name?: WordNode;
  redirections?: Redirection[];
}

export interface Pipeline extends Node {
  commands: Command[];
  /** True for each stage whose `|&` also pipes standard error. */
  pipeStderr?: boolean[];
}

export interface Statement extends Node {
  pipelines: Pipeline[];
  /** True if it ends in `&`. */
  background: boolean;
}

export interface State {
  lastExitCode: number;
  inCondition?: boolean;
  errexitSafe?: boolean;
  functions: ReadonlyMap<string, Command>;
  env: Map<string, string>;
  shoptOptions: { lastpipe: boolean };
  /** The input of the enclosing loop or group. */
  groupStdin?: string | undefined;
  signal?: AbortSignal;
  lastArg: string;
  bashPid: number;
  nextVirtualPid: number;
  lastBackgroundPid: number;
  /** Exit status of each background job, until it is waited for. Added here. */
  jobs?: Map<number, number>;
  fileDescriptors?: unknown;
  inputFds?: unknown;
  fdAliases?: unknown;
  processSubstitutions?: unknown[];
  /** Trap commands by signal. Added here. */
  traps?: Map<string, string> | undefined;
  /** True if functions, subshells and jobs inherit the trap for `ERR`. Added here. */
  errtrace?: boolean;
  callDepth: number;
  /** Destination of the script's streamed output. Added here. */
  sink?: TextSink | undefined;
  /** The script's streamed input. Added here. */
  input?: Input | undefined;
}

/** Receives the output of a script as it is printed. */
export interface TextSink {
  write(stdout: string, stderr: string): Promise<void> | undefined;
}

/** The same in the interpreter's byte strings. */
export interface Sink {
  write(result: Result): Promise<void> | undefined;
  /** True after a write to a pipe without a reader. */
  readonly isBroken: boolean;
  /** True if it leads to the next stage of a pipeline rather than to the caller of the script. */
  readonly isPipe?: boolean | undefined;
  /** True while that stage may still read. */
  readonly hasReader?: boolean;
}

/** The output of the previous stage, as it arrives. */
export interface Input {
  /** Reads the next chunk; `undefined` at the end. */
  read(): Promise<string | undefined>;
  /** Puts back unused input. */
  unread(text: string): void;
  /** Records that the reader runs a command, which may not read. */
  noteCommand(): void;
  readonly isDone: boolean;
}

/** Streaming input and output of a program. */
export interface ProgramStream {
  read?: () => Promise<string | undefined>;
  write?: (bytes: string) => Promise<void> | undefined;
  /** Throws like a write to a closed pipe, for a program that has nothing to write. */
  assertReader?: () => void;
}

export interface Context {
  state: State;
  fs: unknown;
  commands: unknown;
  limits: { maxOutputSize: number };
  executionScope: {
    appendOutput(
      stream: "stdout",
      text: string,
      site: string,
      accounted: number,
      kind: "bytes",
    ): number;
  };
  execFn: unknown;
  fetch: unknown;
  sleep: unknown;
  trace: unknown;
  coverage: unknown;
  substitutionDepth?: number | undefined;
  executeScript(script: Node): Promise<Result>;
  // Fields added here.
  owner?: Interpreter;
  /** Destination of streamed output; missing while output is captured. */
  sink?: Sink | undefined;
  /** Missing outside of stages that run concurrently with the previous one. */
  input?: Input | undefined;
  /** The same input, wherever the current command reads. */
  stageInput?: Input | undefined;
  /** True if this runs concurrently with other stages of a pipeline. */
  isStage?: boolean;
  /** Streams of the program about to start. */
  stream?: ProgramStream | undefined;
  /** True if the next script that runs here prints to its caller's output, like that of `eval`. */
  isInherited?: boolean;
  /** True if shells that the running program starts print to its output. */
  isPassedOn?: boolean;
  /** True if a program that reads all input must be notified of incomplete input. */
  isInputAwaited?: boolean;
  /** True once it was notified. */
  isInputWanted?: boolean;
}

export interface Interpreter {
  ctx: Context;
  executeCommand(node: Command, stdin: string): Promise<Result>;
}

export interface Thrown extends Error {
  stdout: string;
  stderr: string;
  exitCode?: number;
  internalOutputAccounting?: { stdout: number; stderr: number };
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

export function isThrown(error: unknown): error is Thrown {
  return error instanceof Error && "stdout" in error && "stderr" in error;
}

/** Clears the output of a result, because it was streamed already. */
export function emptied<Kind extends Result | Thrown>(result: Kind): Kind {
  result.stdout = "";
  result.stderr = "";
  result.internalOutputAccounting = { stdout: 0, stderr: 0 };
  return result;
}
