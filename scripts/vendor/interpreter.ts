/** The interpreter's own types, as far as what `scripts/vendor.ts` adds to it uses them. */

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
  /** By stage: whether `|&` hands standard error on as well. */
  pipeStderr?: boolean[];
}

export interface Statement extends Node {
  pipelines: Pipeline[];
  /** Whether it ends in `&`. */
  background: boolean;
}

export interface State {
  lastExitCode: number;
  inCondition?: boolean;
  errexitSafe?: boolean;
  functions: ReadonlyMap<string, Command>;
  env: Map<string, string>;
  shoptOptions: { lastpipe: boolean };
  /** What the enclosing loop or group reads. */
  groupStdin?: string | undefined;
  signal?: AbortSignal;
  lastArg: string;
  bashPid: number;
  nextVirtualPid: number;
  lastBackgroundPid: number;
  /** How each job in the background ended, until somebody waits for it. Added here. */
  jobs?: Map<number, number>;
  fileDescriptors?: unknown;
  inputFds?: unknown;
  fdAliases?: unknown;
  processSubstitutions?: unknown[];
  /** By signal. Added here. */
  traps?: Map<string, string> | undefined;
  /** Whether functions, subshells and jobs have the trap for `ERR` too. Added here. */
  errtrace?: boolean;
  callDepth: number;
  /** Where the script prints to while it runs. Added here. */
  sink?: TextSink | undefined;
  /** What it reads, as it comes. Added here. */
  input?: Input | undefined;
}

/** Takes what a script prints, as it comes. */
export interface TextSink {
  write(stdout: string, stderr: string): Promise<void> | undefined;
}

/** The same in the interpreter's own form. */
export interface Sink {
  write(result: Result): Promise<void> | undefined;
  /** Whether somebody has written after the reader was gone. */
  readonly isBroken: boolean;
  /** Whether it leads to the next stage of a pipeline and not to who runs the script. */
  readonly isPipe?: boolean;
  /** Whether that stage may still read. */
  readonly hasReader?: boolean;
}

/** What the stage before prints, as it comes. */
export interface Input {
  /** The next part; `undefined` at the end. */
  read(): Promise<string | undefined>;
  /** Puts back what was read and not used. */
  unread(text: string): void;
  /** Notes that who reads runs a command, which may not be to read. */
  noteCommand(): void;
  readonly isDone: boolean;
}

/** What a program can read and print while it runs. */
export interface ProgramStream {
  read?: () => Promise<string | undefined>;
  write?: (bytes: string) => Promise<void> | undefined;
  /** Throws what a write does where nobody reads on, for a program that has nothing to write. */
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
  // All below is added here.
  owner?: Interpreter;
  /** Where what is printed now goes at once; missing where it is captured. */
  sink?: Sink | undefined;
  /** Missing outside of stages that run beside the one before. */
  input?: Input | undefined;
  /** The same, wherever the command that runs now reads. */
  stageInput?: Input | undefined;
  /** Whether this runs beside other stages of a pipeline. */
  isStage?: boolean;
  /** For the program that is being started. */
  stream?: ProgramStream | undefined;
  /** Whether the next script that runs here prints where its caller does, as that of `eval` does. */
  isInherited?: boolean;
  /** Whether shells that the running program starts print where it does. */
  isPassedOn?: boolean;
  /** Whether a program that reads its input is told that it is not all there. */
  isInputAwaited?: boolean;
  /** Whether it was told so. */
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

/** What prints nothing more, because it was told already. */
export function emptied<Kind extends Result | Thrown>(result: Kind): Kind {
  result.stdout = "";
  result.stderr = "";
  result.internalOutputAccounting = { stdout: 0, stderr: 0 };
  return result;
}
