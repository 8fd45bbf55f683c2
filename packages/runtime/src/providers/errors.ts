import {
  AuthenticationError,
  ModelNotAvailableError,
  ProviderError,
  type ProviderErrorFacts,
  RateLimitError,
} from "../errors.ts";
import { redact } from "../messages/redact.ts";
import { isRetryableStatus, MAX_RETRY_WAIT_MS, retryAfter } from "./retry.ts";

/**
 * Codes of a `ProviderError` besides those of its subclasses. `CONTEXT_LENGTH`: the conversation does not fit;
 * `REQUEST_TOO_LARGE`: its bytes do not; `OVERLOADED` and `SERVER_ERROR`: the service failed, retries were used up;
 * `QUOTA_EXCEEDED`: no credit; `REFUSED`: the service declined to answer; `INVALID_REQUEST`: it rejects the request;
 * `NOT_FOUND`: no such address; `EMPTY_RESPONSE`: an answer without content, twice; `INVALID_RESPONSE`: the response is
 * not of this API; `PROTOCOL_ERROR`: its events contradict each other; `REDIRECTED`: it answers at another address,
 * which was not requested.
 */
export type ProviderErrorCode =
  | "CONTEXT_LENGTH"
  | "REQUEST_TOO_LARGE"
  | "OVERLOADED"
  | "SERVER_ERROR"
  | "QUOTA_EXCEEDED"
  | "REFUSED"
  | "INVALID_REQUEST"
  | "NOT_FOUND"
  | "EMPTY_RESPONSE"
  | "INVALID_RESPONSE"
  | "PROTOCOL_ERROR"
  | "REDIRECTED";

/** The provider's name for error texts, and the secrets to keep out of them. */
export interface ErrorContext {
  provider: string;
  model: string;
  /** Exact texts to keep out of messages, such as the key. */
  secrets: readonly string[];
}

/** An answer with an error status, or an error event with the corresponding status. */
export interface ErrorReply {
  status: number;
  headers?: Headers | undefined;
  /** The parsed body, or its text. */
  body: unknown;
  cause?: unknown;
}

/** Facts of a failed answer for `withRetries`. */
export interface Failure {
  error: ProviderError;
  retryable: boolean;
  retryAfterMs?: number | undefined;
}

/** A service refuses pictures as such: each in its own words, some with the status of a fault. */
const NO_PICTURES =
  /(?:not support|no endpoints|missing data).*(?:image|modal)|image\S* (?:input )?is (?:not|only) support/i;

/** The typed error for an answer with an error status, and whether to retry. */
export function failureOf(reply: ErrorReply, context: ErrorContext): Failure {
  const { status, headers } = reply;
  const said = describeBody(reply.body);
  const words = redact(said.message ?? "", context.secrets);
  const text = `${context.provider} answered ${status}${words ? `: ${words}` : ""}`;
  const facts: ProviderErrorFacts = { provider: context.provider, status };
  if (reply.cause !== undefined) facts.cause = reply.cause;
  const final = (error: ProviderError): Failure => ({ error, retryable: false });
  const provider = (
    code: ProviderErrorCode,
    hint: string,
    category: "user" | "provider" = "user",
  ): ProviderError =>
    new ProviderError(text, {
      ...facts,
      code,
      category,
      hint,
      recoverable: category === "provider",
    });

  if (said.is("insufficient_quota", "billing_error", "billing_not_active") || status === 402) {
    return final(provider("QUOTA_EXCEEDED", "Add credit to the account, or use another key."));
  }
  if (isTooLong(said, status)) {
    return final(
      provider("CONTEXT_LENGTH", "Compact the conversation, or use a model with a larger window."),
    );
  }
  if (NO_PICTURES.test(words)) {
    return final(
      provider("INVALID_REQUEST", "This model can't look at pictures. Choose another, or rewind."),
    );
  }
  if (isRetryableStatus(status, headers)) {
    return retryable(reply, text, facts);
  }
  if (isMissingModel(said, status, context.model)) {
    const hint = `Check the spelling of "${context.model}" and that this key may use it.`;
    return final(new ModelNotAvailableError(text, { ...facts, hint }));
  }
  if (status === 401 || status === 403 || isWrongKey(said, status)) {
    return final(
      new AuthenticationError(text, { ...facts, hint: authenticationHint(status, words) }),
    );
  }
  if (status === 404 || status === 405) {
    return final(provider("NOT_FOUND", "Check the base URL: this server has no such address."));
  }
  if (status === 413) {
    return final(
      provider("REQUEST_TOO_LARGE", "Remove images or files, or compact the conversation."),
    );
  }
  if (said.is("content_filter", "content_policy_violation", "invalid_prompt", "bio_policy")) {
    return final(provider("REFUSED", "Change the request: the service declined to answer it."));
  }
  return final(provider("INVALID_REQUEST", "The message names the rejected part of the request."));
}

function retryable(reply: ErrorReply, text: string, facts: ProviderErrorFacts): Failure {
  const { status, headers } = reply;
  const retryAfterMs = headers && retryAfter(headers);
  if (status === 429 || (retryAfterMs ?? 0) > MAX_RETRY_WAIT_MS) {
    const when =
      retryAfterMs === undefined ? "in a while" : `in ${Math.ceil(retryAfterMs / 1000)} s`;
    const error = new RateLimitError(text, {
      ...facts,
      retryAfterMs,
      hint: `Try again ${when}.`,
    });
    return { error, retryable: true, retryAfterMs };
  }
  const overloaded = status === 529 || status === 503;
  const error = new ProviderError(text, {
    ...facts,
    code: overloaded ? "OVERLOADED" : "SERVER_ERROR",
    hint: "The service has a problem. Try again in a while.",
  });
  return { error, retryable: true, retryAfterMs };
}

/** The service's events contradict each other or can't be read; nothing of such an answer is run. */
export function protocolError(problem: string, context: ErrorContext): ProviderError {
  return new ProviderError(`${context.provider} sent an answer that can't be used: ${problem}`, {
    provider: context.provider,
    code: "PROTOCOL_ERROR",
    hint: "Try again. If it stays, the server at the base URL does not speak this API.",
  });
}

/** The error for a response of another kind, such as a web page. */
export function invalidResponse(text: string, context: ErrorContext): ProviderError {
  const what = pageTitle(text) ?? (redact(text.slice(0, 200), context.secrets).trim() || "nothing");
  return new ProviderError(
    `${context.provider} answered with something other than this API: ${what}`,
    {
      provider: context.provider,
      code: "INVALID_RESPONSE",
      category: "user",
      recoverable: false,
      hint: "Check the base URL, and for a proxy or sign-in page in between.",
    },
  );
}

interface Said {
  message: string | undefined;
  /** True when the service gave one of these words as the error's `code` or `type`. */
  is(...words: string[]): boolean;
}

/**
 * The message and the codes of an error body, whichever form it has: `{ error: { message, type, code } }`, the inner
 * object alone, `{ error: "text" }`, `{ message }`, `{ detail }`, a list of one of these, any other object, a web page or
 * plain text.
 */
export function describeBody(body: unknown): Said {
  if (typeof body === "string") {
    const message = pageTitle(body) ?? body.trim().slice(0, 500);
    return { message: message || undefined, is: () => false };
  }
  const outer = record(Array.isArray(body) ? body[0] : body);
  const inner =
    typeof outer["error"] === "string" ? { message: outer["error"] } : record(outer["error"]);
  const error = Object.keys(inner).length > 0 ? inner : outer;
  const words = [error["code"], error["type"], record(error["details"])["error_code"]];
  // A body of another form is shown as it is: it may be all there is.
  const other =
    words.every((word) => word === undefined) && Object.keys(outer).length > 0 ? outer : undefined;
  const message = error["message"] ?? outer["message"] ?? outer["detail"] ?? other;
  return {
    message: message === undefined ? undefined : text(message).slice(0, 2000),
    is: (...wanted) => words.some((word) => typeof word === "string" && wanted.includes(word)),
  };
}

/** Services without a code for it say it in words; these are the words of the common ones. */
const TOO_LONG =
  /prompt is too long|exceeds? (?:the |the model's )?(?:available |maximum )?context|maximum context length|context (?:length|limit|window|size) (?:is |was )?exceeded|exceeds? the maximum number of (?:input )?tokens|input is too long/i;

function isTooLong(said: Said, status: number): boolean {
  if (said.is("context_length_exceeded", "exceed_context_size_error")) return true;
  return (status === 400 || status === 413 || status === 500) && TOO_LONG.test(said.message ?? "");
}

/** Google answers a wrong key like any other invalid request. */
function isWrongKey(said: Said, status: number): boolean {
  return status === 400 && /\bAPI key (?:not valid|expired)/i.test(said.message ?? "");
}

function isMissingModel(said: Said, status: number, model: string): boolean {
  if (said.is("model_not_found", "model_not_available")) return true;
  return status === 404 && model !== "" && (said.message ?? "").includes(model);
}

function authenticationHint(status: number, words: string): string {
  if (/CORS/.test(words)) {
    return "This organisation does not allow calls from browsers. Go through a server or worker, or use another key.";
  }
  return status === 401 || status === 400
    ? "Check the key: it may be mistyped, revoked, or of another service."
    : "This key may not do that. Check its permissions.";
}

/** The title of a web page; `undefined` for other text. */
function pageTitle(page: string): string | undefined {
  if (!/^\s*<(?:!doctype|html|head|body)/i.test(page)) return undefined;
  const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.trim();
  return title ? `a web page, "${title.slice(0, 120)}"` : "a web page";
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
