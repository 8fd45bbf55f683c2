import type { EngineResult } from "./engine-command.ts";
import { errorMessage, FileSystemError } from "@robota/runtime/ports";
import { describeFileError } from "../../files/file-errors.ts";
import { isBrokenPipe } from "../run/pipelines.ts";
import type { ProgramCall } from "../run/process.ts";

/** The result of a program that threw. @throws what ends more than the program: limits, an abort, a broken pipe */
export function failureOf(error: unknown, { name, process }: ProgramCall): EngineResult {
  const { budget } = process.run;
  budget.check();
  if (isBrokenPipe(error) || error instanceof RangeError) throw error;
  const reason =
    error instanceof FileSystemError
      ? `${error.path}: ${describeFileError(error)}`
      : errorMessage(error);
  return { stdout: "", stderr: `${name}: ${reason}\n`, exitCode: 1 };
}
