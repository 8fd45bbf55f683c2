import type { Limits } from "./engine/run/budget.ts";

/**
 * Limits of one command. They are counts, because counts work on edge platforms whose clock stands still while code
 * runs. Exceeding one ends with exit code 126 and a line on stderr; output so far is kept. At most 256 processes
 * (stages of pipelines, subshells and jobs) are alive at once.
 */
export interface ShellLimits {
  /** Commands of one `exec`, nested ones included. Default 1,000,000. */
  commands?: number;
  /** Iterations of one loop. Default 1,000,000. */
  loopIterations?: number;
  /** Depth of function calls. Default 100. */
  callDepth?: number;
  /**
   * Iterations of one loop of an awk program, commands of a sed program for one line, and a third of the steps of a jq
   * program. Default 500,000. A bc program has these steps too, 200,000 at most.
   */
  programIterations?: number;
  /** Bytes that one `exec` may print or pass through pipes and substitutions. Default 64 MiB. */
  outputBytes?: number;
}

/** Limits of one program. */
export interface ProgramLimits {
  /** Iterations of a loop of a program in an interpreted language. */
  readonly maxIterations: number;
  /** Characters of a text that a program builds. */
  readonly maxCharacters: number;
}

/** The limits of programs, with their defaults. */
export function programLimits(limits: ShellLimits = {}): ProgramLimits {
  return {
    maxIterations: limits.programIterations ?? 500_000,
    maxCharacters: limits.outputBytes ?? 64 * 1024 * 1024,
  };
}

/** Completes the limits with their defaults, for the interpreter. */
export function runLimits(limits: ShellLimits = {}): Limits {
  return {
    commands: limits.commands ?? 1_000_000,
    loopIterations: limits.loopIterations ?? 1_000_000,
    callDepth: limits.callDepth ?? 100,
    outputBytes: limits.outputBytes ?? 64 * 1024 * 1024,
    processes: 256,
  };
}
