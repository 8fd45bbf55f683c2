import type { ExecutionResult } from "../types.ts";
import type { CommandResult } from "./command.ts";

/** The outcome of a command's turn. */
export function resultOfTurn({ state, response, turnId, error }: ExecutionResult): CommandResult {
  const message = state === "failed" ? (error?.message ?? "The turn failed.") : response;
  return { message, success: state === "complete", data: { turnId, state } };
}
