import { errorFacts, type ProviderError, RobotaError } from "../../errors.ts";
import type { AssistantMessage, Message } from "../../messages/message.ts";
import { messageForJson, messageFromJson } from "../../messages/message-json.ts";
import { providerErrorOf } from "../../messages/reported-error.ts";
import type { ChatOptions, ProviderEvent } from "../provider.ts";

/*
 * Protocol of a remote provider. One `POST` with a `RemoteRequest` as JSON; the answer is an event stream whose `data`
 * are `ProviderEvent`s as JSON, the last of them a `message`, or one event named `error` with a `RemoteFailure`.
 * Closing the connection aborts the call.
 */

/** The options of a call that travel. */
const OPTIONS = [
  "model",
  "tools",
  "toolChoice",
  "maxTokens",
  "temperature",
  "thinking",
  "effort",
  "responseFormat",
] as const;

export type RemoteOptions = Pick<ChatOptions, (typeof OPTIONS)[number]>;

export interface RemoteRequest {
  messages: Message[];
  options: RemoteOptions;
}

/** A failed call, as the error that the caller would have got in process. */
export interface RemoteFailure {
  code: string;
  message: string;
  hint?: string;
  category: "user" | "provider" | "system";
  recoverable: boolean;
  status?: number;
  retryAfterMs?: number;
}

export function encodeRequest(messages: readonly Message[], options: ChatOptions): string {
  const sent: RemoteOptions = {};
  for (const name of OPTIONS) {
    const value = options[name];
    if (value !== undefined) Object.assign(sent, { [name]: value });
  }
  // Only the part of a tool that a model gets.
  if (options.tools) {
    sent.tools = options.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
  }
  return JSON.stringify({ messages: messages.map(messageForJson), options: sent });
}

/** Restores a request of `encodeRequest` after validation. */
export function decodeRequest(parsed: {
  messages: Message[];
  options?: RemoteOptions;
}): RemoteRequest {
  return { messages: parsed.messages.map(messageFromJson), options: parsed.options ?? {} };
}

export function encodeEvent(event: ProviderEvent): string {
  if (event.type !== "message") return JSON.stringify(event);
  return JSON.stringify({ ...event, message: messageForJson(event.message) });
}

export function decodeMessage(parsed: AssistantMessage): AssistantMessage {
  return messageFromJson(parsed) as AssistantMessage;
}

/** The shareable part of a failure: no stack, no cause, and nothing of a foreign error. */
export function encodeFailure(error: unknown): string {
  if (!(error instanceof RobotaError)) {
    const failure: RemoteFailure = {
      code: "PROVIDER_ERROR",
      message: "The provider failed on the server",
      hint: "Try again; when it stays, its operator finds the reason in the server's log.",
      category: "provider",
      recoverable: true,
    };
    return JSON.stringify(failure);
  }
  const { category, recoverable } = error;
  // The caller sets the provider's name itself.
  const { provider: _, ...facts } = errorFacts(error);
  const failure: RemoteFailure = { ...facts, category, recoverable };
  return JSON.stringify(failure);
}

/** The error of a remote failure, so that callers need not know where a provider runs. */
export function decodeFailure(failure: Partial<RemoteFailure>, provider: string): ProviderError {
  const defaults = { code: "PROVIDER_ERROR", message: "The provider failed" };
  return providerErrorOf({ ...errorFacts({ ...defaults, ...failure }), provider });
}
