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
  const outcome: ToolOutcome = {
    success: result.success,
    durationMs: Math.round(durationMs),
    ...(denied ? { denied } : {}),
    ...(result.errorCode === undefined ? {} : { errorCode: result.errorCode }),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.usedNetwork ? { usedNetwork: true } : {}),
    ...(result.changes === undefined ? {} : { changes: result.changes }),
    ...(result.data === undefined ? {} : { data: result.data }),
    ...(memory === undefined ? {} : { memory }),
    ...(answers.length === 0 ? {} : { answers }),
  };
  return { type: "tool_end", toolCallId: call.id, tool: call.name, message, outcome };
}

/** The end of a turn, from the run's result, or from its failure when there is none. */
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
