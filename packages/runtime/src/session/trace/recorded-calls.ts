import { defined } from "../../defined.ts";
import { errorFacts } from "../../errors.ts";
import { messageForJson } from "../../messages/message-json.ts";
import type { AssistantMessage } from "../../messages/message.ts";
import type { LoopRequest } from "../../agent/loop.ts";
import type { ProviderEvent, ProviderNativeRawPayload } from "../../providers/provider.ts";
import type { LogEvent, SessionLogData } from "./entry.ts";
import { requestForLog, splitPieces } from "./native-payload.ts";
import type { TextPiece } from "./ordered-entries.ts";

export interface RecordedCallsOptions {
  provider: { readonly name: string; readonly model: string };
  emit(event: LogEvent, data: SessionLogData, pieces?: readonly TextPiece[]): void;
  /** Ends the open texts. */
  endTexts(): void;
  /** The number of the last change in the conversation as sent. */
  upTo(): number;
}

/** Logs the calls to a provider: the request, the raw stream, and the raw answer. */
export class RecordedCalls {
  readonly #options: RecordedCallsOptions;
  #executionId = "";
  #round = 0;
  #isCalling = false;
  #natives = 0;
  #deltas = 0;
  /** True for an answer whose message is not in the conversation yet. */
  #answered = false;

  constructor(options: RecordedCallsOptions) {
    this.#options = options;
  }

  /** Assigns calls from here on to this run, counted from `round` on. */
  begin(executionId: string, round = 0): void {
    this.#executionId = executionId;
    this.#round = round;
    this.#answered = false;
  }

  /** The identity of a call. */
  get place(): { executionId: string; round: number } {
    return { executionId: this.#executionId, round: this.#round };
  }

  request({ messageId, finalRequest, tools, options }: LoopRequest): void {
    const { provider } = this.#options;
    this.#round += 1;
    this.#isCalling = true;
    this.#answered = false;
    this.#natives = 0;
    this.#deltas = 0;
    const { model = provider.model, ...rest } = options;
    this.#options.emit("provider_request", {
      ...this.place,
      provider: provider.name,
      model,
      messageId,
      messages: { kind: "history", upTo: this.#options.upTo() },
      ...defined({ demand: finalRequest }),
      tools,
      options: Object.fromEntries(
        Object.entries(rest).filter(([, value]) => typeof value !== "function"),
      ),
    });
  }

  native(native: ProviderNativeRawPayload): void {
    if (!this.#isCalling) return;
    const isRequest = native.payloadKind === "request";
    if (!isRequest) this.#natives += 1;
    const { payload, pieces } = isRequest
      ? { payload: requestForLog(native.payload), pieces: [] }
      : splitPieces(native, ["payload"]);
    this.#options.emit(
      "provider_native_raw_payload",
      { ...this.place, ...native, payload },
      native.payloadKind === "stream_event" ? pieces : undefined,
    );
  }

  event(event: Exclude<ProviderEvent, { type: "message" }>): void {
    if (!this.#isCalling) return;
    if (event.type === "server_tool_use") {
      const { name, input } = event.use;
      this.#options.emit("server_tool", { ...this.place, name, query: input["query"], input });
      return;
    }
    const { delta, ...rest } = event;
    const stream = `raw/${event.type}/${"index" in event ? event.index : ""}`;
    const sequence = this.#deltas;
    this.#deltas += 1;
    this.#options.emit(
      "provider_stream_raw_delta",
      { ...this.place, sequence, delta: { ...rest, text: "" } },
      [{ stream, text: delta, path: ["delta", "text"] }],
    );
  }

  answered(message: AssistantMessage): void {
    if (!this.#isCalling) return;
    this.#isCalling = false;
    this.#answered = true;
    this.#options.endTexts();
    const { place } = this;
    const response = messageForJson(message);
    const { provider } = this.#options;
    if (this.#natives === 0) {
      // Stands in for the native payloads of a provider without a wire format of its own.
      const what = { apiSurface: "message", payloadKind: "response", sequence: 0 };
      this.#options.emit("provider_native_raw_payload", {
        ...place,
        provider: provider.name,
        ...what,
        payload: response,
      });
    }
    const responseKind = message.state === "complete" ? "message" : "interrupted";
    this.#options.emit("provider_response_raw", { ...place, responseKind, response });
  }

  /** Takes a message that enters the conversation; the first one after an answer is its normalized form. */
  normalized(message: AssistantMessage): void {
    if (!this.#answered) return;
    this.#answered = false;
    const { provider } = this.#options;
    this.#options.emit("provider_response_normalized", {
      ...this.place,
      provider: message.provider ?? provider.name,
      model: message.model ?? provider.model,
      toolCallCount: message.toolCalls?.length ?? 0,
      message: messageForJson(message),
    });
  }

  failed(cause: unknown): void {
    if (!this.#isCalling) return;
    this.#isCalling = false;
    this.#options.endTexts();
    this.#options.emit("error", { ...this.place, phase: "provider", ...errorFacts(cause) });
  }
}
