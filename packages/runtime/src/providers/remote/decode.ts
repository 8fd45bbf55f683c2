import type { ProviderError } from "../../errors.ts";
import type { AssistantMessage, JsonObject } from "../../messages/message.ts";
import type { Answer, CallBlock } from "../answer.ts";
import type { Decoder } from "../call.ts";
import { type ErrorContext, protocolError } from "../errors.ts";
import { count, object, text } from "../json.ts";
import { decodeFailure, decodeMessage } from "./wire.ts";

/**
 * Decodes events of a remote provider. Visible parts go through the answer; the message and the failure are the remote
 * provider's own, unchanged.
 */
export class RemoteDecoder implements Decoder {
  message: AssistantMessage | undefined;
  failure: ProviderError | undefined;
  readonly #answer: Answer;
  readonly #context: ErrorContext;
  readonly #calls = new Map<number, CallBlock>();

  constructor(answer: Answer, context: ErrorContext) {
    this.#answer = answer;
    this.#context = context;
  }

  event(data: JsonObject, name: string): void {
    const answer = this.#answer;
    if (name === "error") {
      this.failure = decodeFailure(data, this.#context.provider);
      this.#finish();
      return;
    }
    const delta = text(data["delta"]);
    switch (data["type"]) {
      case "text_delta":
        answer.append(answer.current("text"), delta);
        break;
      case "thinking_delta":
        answer.append(answer.current("thinking"), delta);
        break;
      case "tool_call_delta":
        this.#call(data, delta);
        break;
      case "server_tool_use": {
        const use = object(data["use"]);
        answer.useServerTool({ name: text(use["name"]), input: object(use["input"]) });
        break;
      }
      case "message":
        this.message = messageOf(data["message"]);
        if (!this.message) throw protocolError("a message without its parts", this.#context);
        this.#finish();
        break;
      default:
      // An event of a newer server, which the message at the end makes up for.
    }
  }

  whole(): void {
    throw protocolError("no event stream", this.#context);
  }

  #call(data: JsonObject, delta: string): void {
    const index = count(data["index"]);
    let block = this.#calls.get(index);
    if (!block) {
      block = this.#answer.startCall(text(data["id"]), text(data["name"]));
      this.#calls.set(index, block);
    }
    this.#answer.appendArguments(block, delta);
  }

  #finish(): void {
    this.#answer.complete = true;
    this.#answer.finished = true;
    // The remote provider has checked that the answer is not empty.
    this.#answer.addProviderData({});
  }
}

function messageOf(value: unknown): AssistantMessage | undefined {
  const message = object(value);
  const { role, id, timestamp, content, state } = message;
  const isOne =
    role === "assistant" &&
    typeof id === "string" &&
    typeof timestamp === "string" &&
    (typeof content === "string" || Array.isArray(content)) &&
    (state === "complete" || state === "interrupted");
  return isOne ? decodeMessage(value as AssistantMessage) : undefined;
}
