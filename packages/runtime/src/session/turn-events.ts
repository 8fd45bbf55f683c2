import type { Runnable, ToolCompletion } from "../agent/tool-batch.ts";
import type { ToolArgs } from "../messages/message.ts";
import type { SessionEventBody, ToolOutcome } from "./events.ts";

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

export function toolEndOf(
  { call, message, result, denied, durationMs }: ToolCompletion,
  memory?: Record<string, string>,
): SessionEventBody {
  const outcome: ToolOutcome = {
    success: result.success,
    durationMs: Math.round(durationMs),
    ...(denied ? { denied } : {}),
    ...(result.errorCode === undefined ? {} : { errorCode: result.errorCode }),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.changes === undefined ? {} : { changes: result.changes }),
    ...(result.data === undefined ? {} : { data: result.data }),
    ...(memory === undefined ? {} : { memory }),
  };
  return { type: "tool_end", toolCallId: call.id, tool: call.name, message, outcome };
}

/** The first text among the arguments on one line, shortened in its middle. */
function firstArgument(args: ToolArgs): string {
  const value = Object.values(args).find((candidate) => typeof candidate === "string") ?? "";
  const text = value.replaceAll("\n", " ");
  if (text.length <= FIRST_ARG_LENGTH) return text;
  return `${text.slice(0, FIRST_ARG_HEAD).toWellFormed()}...${text.slice(-FIRST_ARG_TAIL).toWellFormed()}`;
}
