import type { RunResult } from "../agent/watched-run.ts";
import { errorFacts } from "../errors.ts";
import type { Runnable, ToolCompletion } from "../agent/tool-batch.ts";
import type { ToolArgs } from "../messages/message.ts";
import { isSecret, REDACTED } from "../messages/secret-names.ts";
import { cutEnd, cutStart } from "../tools/text-limit.ts";
import type { ModelAnswer } from "../tools/tool.ts";
import type { SessionEventBody, ToolOutcome } from "./events.ts";

/** Note in front of the end of a turn whose answer a plugin has changed or refused. */
export const ANSWER_CHANGED = "answer-changed";

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
  answers: ModelAnswer[],
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
    ...(answers.length === 0 ? {} : { answers }),
  };
  return { type: "tool_end", toolCallId: call.id, tool: call.name, message, outcome };
}

/** How a turn ended: by the run's result, or by what it failed with when there is none. */
export function turnEndOf(
  result: RunResult | undefined,
  error: unknown,
  isAborted: boolean,
): Extract<SessionEventBody, { type: "turn_end" }> {
  const isInterrupted = result?.interrupted ?? isAborted;
  return {
    type: "turn_end",
    state: error !== undefined ? "failed" : isInterrupted ? "interrupted" : "complete",
    response: result?.text ?? "",
    ...(result ? { usage: result.usage } : {}),
    ...(result?.cost === undefined ? {} : { cost: result.cost }),
    ...(error === undefined ? {} : { error: errorFacts(error) }),
  };
}

/** The first text among the arguments on one line, shortened in its middle; never one that is kept under a secret's name. */
function firstArgument(args: ToolArgs): string {
  for (const [name, value] of Object.entries(args))
    if (typeof value === "string") return isSecret(name, value) ? REDACTED : onOneLine(value);
  return "";
}

function onOneLine(value: string): string {
  const text = value.replaceAll("\n", " ");
  if (text.length <= FIRST_ARG_LENGTH) return text;
  const [head, tail] = [cutEnd(text, FIRST_ARG_HEAD), cutStart(text, FIRST_ARG_TAIL)];
  return `${head}...${tail}`.toWellFormed();
}
