import { RobotaError } from "../../errors.ts";
import type { TokenUsage, ToolCall } from "../../messages/message.ts";
import type { ModelAnswer, ToolContext } from "../../tools/tool.ts";
import type { SessionCore } from "../core.ts";
import type { TurnParts } from "./turn-loop.ts";

/** What a call uses of models is counted with the turn, and is on record with the call's end. */
export function modelsFor(
  core: SessionCore,
  { running: { signal }, watched, answers: open }: TurnParts,
  call: ToolCall,
): Required<Pick<ToolContext, "ask" | "searchesNatively" | "spending">> {
  const answers: ModelAnswer[] = [];
  open.set(call.id, answers);
  const keep = (answer: ModelAnswer): void => {
    // What comes behind the call's end could not be counted again from the record.
    if (open.get(call.id) !== answers) return;
    answers.push(answer);
    if (answer.usage) watched.onQuestion(answer.usage);
  };
  const ask: ToolContext["ask"] = async (question) => {
    if (core.recordedAnswer) return replayed(core.recordedAnswer(call.id), keep);
    const { provider, providerTimeout = 0, progressTimeout, callTimeout } = core.options;
    const recorded = core.recorder?.question(call.id);
    const { askModel } = await import("../../agent/ask-model.ts");
    return askModel(question, {
      provider,
      signal,
      ...(core.nativeWeb && { webTools: core.nativeWeb.chatOptions }),
      idleTimeoutMs: providerTimeout,
      ...(progressTimeout === undefined ? {} : { progressTimeoutMs: progressTimeout }),
      ...(callTimeout === undefined ? {} : { callTimeoutMs: callTimeout }),
      refuseCall: watched.refuseCall,
      onAnswer: (answer, message) => {
        recorded?.answered(message);
        keep(answer);
      },
      ...(recorded && {
        onRequest: (request) => recorded.request(request),
        onNative: (payload) => recorded.native(payload),
        onFailed: (cause) => recorded.failed(cause),
      }),
      ...core.clock,
    });
  };
  const spending = {
    refusal: () => watched.refuseCall(),
    add: (usage: TokenUsage) => keep({ text: "", isWhole: true, usage }),
  };
  return { ask, searchesNatively: core.nativeWeb?.webSearch ?? false, spending };
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
