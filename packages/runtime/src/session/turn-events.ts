import type { Runnable, ToolCompletion } from "../agent/tool-batch.ts";
import { errorMessage, RobotaError } from "../errors.ts";
import type { ToolArgs } from "../messages/message.ts";
import type { SessionEventBody, ToolOutcome, TurnFailure } from "./events.ts";

const FIRST_ARG_LENGTH = 80;
const FIRST_ARG_HEAD = 47;
const FIRST_ARG_TAIL = 30;

export function toolStartOf({ call, tool, args }: Runnable): SessionEventBody {
  return {
    type: "tool_start",
    toolCallId: call.id,
    tool: tool.name,
    args,
    firstArg: firstArgument(args),
  };
}

export function toolEndOf({
  call,
  message,
  result,
  denied,
  durationMs,
}: ToolCompletion): SessionEventBody {
  const outcome: ToolOutcome = {
    success: result.success,
    durationMs: Math.round(durationMs),
    ...(denied ? { denied } : {}),
    ...(result.errorCode === undefined ? {} : { errorCode: result.errorCode }),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.changes === undefined ? {} : { changes: result.changes }),
    ...(result.data === undefined ? {} : { data: result.data }),
  };
  return { type: "tool_end", toolCallId: call.id, tool: call.name, message, outcome };
}

/** The first text among the arguments on one line, shortened in its middle. */
export function firstArgument(args: ToolArgs): string {
  const value = Object.values(args).find((candidate) => typeof candidate === "string") ?? "";
  const text = value.replaceAll("\n", " ");
  if (text.length <= FIRST_ARG_LENGTH) return text;
  return `${text.slice(0, FIRST_ARG_HEAD).toWellFormed()}...${text.slice(-FIRST_ARG_TAIL).toWellFormed()}`;
}

/** What may be kept of an error: its code, message and hint; no stack and no cause. */
export function failureOf(error: unknown): TurnFailure {
  if (error instanceof RobotaError) {
    const { code, message, hint } = error;
    return hint === "" ? { code, message } : { code, message, hint };
  }
  const facts = (typeof error === "object" ? error : null) as {
    code?: unknown;
    message?: unknown;
  } | null;
  return {
    code: typeof facts?.code === "string" ? facts.code : "UNKNOWN_ERROR",
    message: typeof facts?.message === "string" ? facts.message : errorMessage(error),
  };
}

/** A provider may report a cut stream as data; callers get an error all the same. */
export function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  const { code, message } = failureOf(error);
  return new RobotaError(message, { code, category: "provider", recoverable: true });
}
