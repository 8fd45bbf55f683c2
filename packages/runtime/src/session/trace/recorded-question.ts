import { errorFacts } from "../../errors.ts";
import type { QuestionRequest } from "../../agent/ask-model.ts";
import { messageForJson } from "../../messages/message-json.ts";
import type { AssistantMessage } from "../../messages/message.ts";
import type { ProviderNativeRawPayload } from "../../providers/provider.ts";
import type { LogEvent, SessionLogData } from "./entry.ts";
import { requestForLog } from "./native-payload.ts";

export interface RecordedQuestionOptions {
  provider: { readonly name: string; readonly model: string };
  /** Distinguishes it from other calls to the provider. */
  place: { executionId: string; round: number; toolCallId?: string };
  emit: (event: LogEvent, data: SessionLogData) => void;
}

/**
 * Logs one question to the model outside of a conversation: a tool's, or the request for a summary. Its messages are in
 * the entry, since there is no conversation to refer to; its stream is not logged piece by piece, since other questions
 * may run in parallel.
 */
export class RecordedQuestion {
  readonly #options: RecordedQuestionOptions;
  #hasNativeAnswer = false;

  constructor(options: RecordedQuestionOptions) {
    this.#options = options;
  }

  request({ messageId, messages, options }: QuestionRequest): void {
    const { place, provider, emit } = this.#options;
    emit("provider_request", {
      ...place,
      provider: provider.name,
      model: provider.model,
      messageId,
      messages: messages.map(messageForJson),
      tools: [],
      options,
    });
  }

  native(native: ProviderNativeRawPayload): void {
    if (native.payloadKind === "stream_event") return;
    const isRequest = native.payloadKind === "request";
    if (!isRequest) this.#hasNativeAnswer = true;
    const payload = isRequest ? requestForLog(native.payload) : native.payload;
    const { place, emit } = this.#options;
    emit("provider_native_raw_payload", { ...place, ...native, payload });
  }

  answered(message: AssistantMessage): void {
    const { place, provider, emit } = this.#options;
    const { name, model } = provider;
    const response = messageForJson(message);
    if (!this.#hasNativeAnswer) {
      const what = { apiSurface: "message", payloadKind: "response", sequence: 0 };
      emit("provider_native_raw_payload", { ...place, provider: name, ...what, payload: response });
    }
    const responseKind = message.state === "complete" ? "message" : "interrupted";
    emit("provider_response_raw", { ...place, responseKind, response });
    emit("provider_response_normalized", {
      ...place,
      provider: message.provider ?? name,
      model: message.model ?? model,
      toolCallCount: 0,
      message: response,
    });
  }

  failed(cause: unknown): void {
    const { place, emit } = this.#options;
    emit("error", { ...place, phase: "provider", ...errorFacts(cause) });
  }
}
