import { defined } from "../../defined.ts";
import { RobotaError } from "../../errors.ts";
import type { ToolCall } from "../../messages/message.ts";
import type { ModelAnswer, ToolContext, ToolSpending } from "../../tools/tool.ts";
import type { NativeWebTools } from "../../providers/provider.ts";
import type { Clock } from "../../ports/assemble.ts";
import { callBounds } from "../call-bounds.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionTracer } from "../trace/tracer.ts";
import type { RunningTurn } from "./running-turn.ts";

export interface ToolModelParts {
  readonly options: Pick<
    SessionOptions,
    "provider" | "providerTimeout" | "progressTimeout" | "callTimeout"
  >;
  readonly clock: Clock;
  readonly nativeWeb: NativeWebTools | undefined;
  readonly tracer: SessionTracer | undefined;
  /** Answers a call's next question from the recording, in a replay. */
  readonly recordedAnswer: ((callId: string) => ModelAnswer | undefined) | undefined;
}

/** Gives a call access to models; their usage is counted with the turn, and recorded with the call's end. */
export function modelsFor(
  parts: ToolModelParts,
  { running: { signal }, agentRun, answers: open }: RunningTurn,
  call: ToolCall,
): Required<Pick<ToolContext, "ask" | "searchesNatively" | "spending">> {
  const answers: ModelAnswer[] = [];
  open.set(call.id, answers);
  const keep = (answer: ModelAnswer): void => {
    // Usage after the call's end could not be counted again from the record.
    if (open.get(call.id) !== answers) return;
    answers.push(answer);
    if (answer.usage) agentRun.onQuestion(answer.usage, answer.model);
  };
  const ask: ToolContext["ask"] = async (question) => {
    if (parts.recordedAnswer) return replayed(parts.recordedAnswer(call.id), keep);
    const { provider } = parts.options;
    const recorded = parts.tracer?.question(call.id);
    const { askModel } = await import("../../agent/ask-model.ts");
    return askModel(question, {
      provider,
      signal,
      webTools: parts.nativeWeb?.chatOptions,
      ...callBounds(parts.options),
      refuseCall: agentRun.refuseCall,
      onAnswer: (answer, message) => {
        recorded?.answered(message);
        keep(answer);
      },
      onRequest: (request) => recorded?.request(request),
      onNative: recorded && ((payload) => recorded.native(payload)),
      onFailed: (cause) => recorded?.failed(cause),
      ...parts.clock,
    });
  };
  const { meter } = agentRun;
  const detached: ToolSpending = {
    refusal: (model) => meter.refusal(model),
    add: (usage, model) => meter.addAside(usage, meter.costOf(usage, model)),
    detach: () => detached,
  };
  const spending: ToolSpending = {
    refusal: (model) => meter.refusal(model),
    add: (usage, model) => keep(defined({ text: "", isWhole: true, usage, model })),
    detach: () => detached,
  };
  return { ask, searchesNatively: parts.nativeWeb?.webSearch ?? false, spending };
}

function replayed(
  answer: ModelAnswer | undefined,
  keep: (answer: ModelAnswer) => void,
): ModelAnswer {
  if (answer) {
    keep(answer);
    return answer;
  }
  throw new RobotaError("The record has no answer to this question", {
    code: "PROVIDER_ERROR",
    category: "provider",
    recoverable: false,
  });
}
