import { defined } from "../../defined.ts";
import type { RunResult } from "../../agent/agent-run.ts";
import { errorFacts } from "../../errors.ts";
import type { Runnable, ToolCompletion } from "../../agent/tool-batch.ts";
import type { ModelAnswer } from "../../tools/tool.ts";
import type { SessionEventBody, ToolOutcome } from "../log/events.ts";
import { firstArgument } from "../state/first-argument.ts";

/** Note before the end of a turn whose answer a plugin has changed or refused. */
export const ANSWER_CHANGED = "answer-changed";

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
  const outcome: ToolOutcome = defined({
    success: result.success,
    durationMs: Math.round(durationMs),
    denied: denied || undefined,
    errorCode: result.errorCode,
    exitCode: result.exitCode,
    usedNetwork: result.usedNetwork || undefined,
    changes: result.changes,
    data: result.data,
    memory,
    answers: answers.length > 0 ? answers : undefined,
  });
  return { type: "tool_end", toolCallId: call.id, tool: call.name, message, outcome };
}

/** The end of a turn, from the run's result, or from its failure when there is none. */
export function turnEndOf(
  result: RunResult | undefined,
  error: unknown,
  isAborted: boolean,
): Extract<SessionEventBody, { type: "turn_end" }> {
  const isInterrupted = result?.interrupted ?? isAborted;
  return defined({
    type: "turn_end",
    state: error !== undefined ? "failed" : isInterrupted ? "interrupted" : "complete",
    response: result?.text ?? "",
    usage: result?.usage,
    cost: result?.cost,
    error: error === undefined ? undefined : errorFacts(error),
  });
}
