import { abortError, errorMessage, ProviderError, RobotaError } from "../errors.ts";
import type { AssistantMessage, JsonObject, JsonValue, Message } from "../messages/message.ts";
import { reportable } from "../messages/reported-error.ts";
import { Answer } from "./answer.ts";
import { readBody } from "./body.ts";
import { type ErrorContext, failureOf, invalidResponse, protocolError } from "./errors.ts";
import { currentPage, cutError, networkError, silenceError } from "./network.ts";
import type { ChatOptions, ProviderEvent, ProviderNativeRawPayload } from "./provider.ts";
import { redact, redactValue } from "../messages/redact.ts";
import { type AttemptOutcome, withRetries } from "./retry.ts";
import { StatusError } from "./service-client.ts";
import { EventStreamParser } from "./sse.ts";
import { watch, type Watch } from "./watch.ts";

/** Silence that no service needs, not even a local model on a long prompt. */
const DEFAULT_IDLE_TIMEOUT_MS = 600_000;

/** Decodes a service's response into an `Answer`. May throw a `ProviderError`. */
export interface Decoder {
  /** One event of the stream; `name` is empty for unnamed events. */
  event(data: JsonObject, name: string): void;
  /**
   * Fast path for an event that only adds text, when its JSON is simple enough to skip parsing; returns false for any
   * other, which goes through `event`. Nearly all events are of this kind, and parsing them would be most of their
   * cost.
   */
  words?(json: string, name: string): boolean;
  /** The answer in one piece, from a server that does not stream. */
  whole(body: JsonObject): void;
  /** The server's end mark, beside its events. */
  done?(): void;
  /** The stream is over: the decoder may find the answer complete, or not. */
  end?(): void;
}

/** One call over one wire: its request, its target and its decoder. */
export interface WireCall extends ErrorContext {
  apiSurface: string;
  url: string;
  /** JSON. */
  body: string;
  /** Rejects with a `StatusError`, or with the error of `fetch`. */
  send(body: string, signal: AbortSignal): Promise<Response>;
  decoder(answer: Answer): Decoder;
}

export interface CallSettings {
  maxRetries?: number | undefined;
  idleTimeoutMs?: number | undefined;
}

/**
 * Makes one provider call with its retries.
 * @returns the answer, or its received part after an abort, a cut or silence following visible text
 * @throws {ProviderError} and, for an abort before visible text, an `AbortError`
 */
export async function call(
  wire: WireCall,
  messages: readonly Message[],
  options: ChatOptions,
  settings: CallSettings,
  onEvent: (event: ProviderEvent) => void,
): Promise<AssistantMessage> {
  const { signal } = options;
  const idleTimeoutMs = options.idleTimeoutMs ?? settings.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS;
  const log = nativeLog(wire, options);
  // After tool results a model may have nothing to add; anywhere else an answer without content is invalid.
  const mayBeEmpty = messages.at(-1)?.role === "tool";
  let empties = 0;

  const attempt = async (): Promise<AttemptOutcome<AssistantMessage>> => {
    const answer = new Answer(wire.provider, options.model ?? wire.model, onEvent);
    const line = watch(signal, idleTimeoutMs);
    try {
      log?.("request", wire.body);
      const failed = await exchange(wire, answer, line, log);
      if (failed) return failed;
      if (answer.complete) {
        if (!answer.isEmpty || mayBeEmpty || answer.stopReason === "max_tokens")
          return { value: answer.message() };
        if (answer.stopReason === "refusal") return { error: refused(wire, answer), retry: false };
        empties += 1;
        return { error: emptyError(wire), retry: empties === 1 && !answer.emitted };
      }
      if (line.stopped === "aborted") {
        if (answer.hasText) return { value: answer.interrupted("aborted") };
        throw abortError();
      }
      const silent = line.stopped === "silent";
      const error = silent
        ? silenceError(wire.provider, idleTimeoutMs)
        : cutError(wire.provider, line.cause);
      return broken(answer, error, !silent);
    } finally {
      line.dispose();
    }
  };

  const { onRetry } = options;
  return withRetries(attempt, { signal, maxRetries: settings.maxRetries, onRetry });
}

type NativeLog = (kind: ProviderNativeRawPayload["payloadKind"], payload: JsonValue) => void;

/** Sends the request and reads the answer. Resolves to the failure, or to nothing when the stream has ended or was stopped. */
async function exchange(
  wire: WireCall,
  answer: Answer,
  line: Watch,
  log: NativeLog | undefined,
): Promise<AttemptOutcome<AssistantMessage> | undefined> {
  let response: Response;
  try {
    response = await line.race(wire.send(wire.body, line.signal));
  } catch (error) {
    if (line.stopped) return undefined;
    const failed = await sendFailure(wire, error);
    // An error's body is an answer too.
    const body = error instanceof StatusError ? error.body : undefined;
    if (typeof body === "object" && body !== null) log?.("response", body as JsonObject);
    return failed;
  }
  const decoder = wire.decoder(answer);
  const parser = new EventStreamParser((text, name) => {
    // The rest of the chunk comes after the end, or after the listener has stopped the call.
    if (answer.finished || line.stopped) return;
    if (!log && decoder.words?.(text, name)) return;
    if (text === "[DONE]") {
      answer.finished = true;
      decoder.done?.();
    } else if (text.trim() !== "") {
      const data = parseEvent(text, wire);
      log?.("stream_event", data);
      decoder.event(data, name);
    }
  });
  try {
    const other = await readBody(
      response,
      line,
      () => answer.finished,
      (bytes) => parser.push(bytes),
    );
    if (line.stopped) return undefined;
    if (other === undefined) decoder.end?.();
    else if (line.cause === undefined) readWhole(other, wire, decoder, log);
  } catch (error) {
    // A listener's error belongs to its owner; only the service's errors are a failed answer.
    if (!(error instanceof ProviderError)) throw error;
    return broken(answer, error, error.recoverable);
  }
  return undefined;
}

/** A failure after the answer began: kept as an interrupted answer once text was shown. */
function broken(
  answer: Answer,
  error: ProviderError,
  retry: boolean,
): AttemptOutcome<AssistantMessage> {
  if (!answer.hasText) return { error, retry: retry && !answer.emitted };
  return { value: answer.interrupted("error", reportable(error)) };
}

function readWhole(
  text: string,
  wire: WireCall,
  decoder: Decoder,
  log: NativeLog | undefined,
): void {
  const body = text.trimStart().startsWith("{") ? parseEvent(text, wire) : undefined;
  if (!body) throw invalidResponse(text, wire);
  log?.("response", body);
  decoder.whole(body);
}

function parseEvent(data: string, wire: ErrorContext): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (cause) {
    throw protocolError(
      `no JSON in "${redact(data.slice(0, 80), wire.secrets)}" (${errorMessage(cause)})`,
      wire,
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw protocolError("an event that is not an object", wire);
  }
  return value as JsonObject;
}

/** Classifies the failure of a request: an answer with an error status, or no answer. */
export async function sendFailure(
  wire: ErrorContext & Pick<WireCall, "url">,
  error: unknown,
): Promise<{ error: ProviderError; retry: boolean; retryAfterMs?: number | undefined }> {
  if (error instanceof StatusError) {
    const { retryable, ...facts } = failureOf(error, wire);
    return { ...facts, retry: retryable };
  }
  if (error instanceof ProviderError) return { error, retry: error.recoverable };
  if (error instanceof RobotaError) throw error;
  const page = await currentPage(wire.url);
  const failure = networkError({ provider: wire.provider, url: wire.url, cause: error, page });
  return { error: failure, retry: true };
}

function emptyError(wire: ErrorContext): ProviderError {
  return new ProviderError(`${wire.provider} answered without any content`, {
    provider: wire.provider,
    code: "EMPTY_RESPONSE",
    hint: "Try again or put the request differently.",
  });
}

function refused(wire: ErrorContext, answer: Answer): ProviderError {
  const words = answer.refusal ? `: ${redact(answer.refusal, wire.secrets)}` : "";
  return new ProviderError(`The model declined to answer${words}`, {
    provider: wire.provider,
    code: "REFUSED",
    category: "user",
    recoverable: false,
    hint: "Change the request, or take it out of the conversation.",
  });
}

/** `undefined` without a listener. */
function nativeLog(wire: WireCall, options: ChatOptions): NativeLog | undefined {
  if (!options.onProviderNativeRawPayload) return undefined;
  let sequence = 0;
  return (payloadKind, payload) => {
    const parsed = payloadKind === "request" ? (JSON.parse(wire.body) as JsonValue) : payload;
    options.onProviderNativeRawPayload?.({
      provider: wire.provider,
      apiSurface: wire.apiSurface,
      payloadKind,
      sequence,
      payload: redactValue(parsed, wire.secrets) as JsonValue,
    });
    sequence += 1;
  };
}
