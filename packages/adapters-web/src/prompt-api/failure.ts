import { ModelNotAvailableError, ProviderError } from "@robota/runtime";
import type { Availability } from "./language-model.ts";

const OTHER_PROVIDER = "Choose another provider.";

/** The error that users of an `AbortSignal` expect. */
export function abortError(): DOMException {
  return new DOMException("Aborted", "AbortError");
}

/** Converts an error of the Prompt API to a typed one. */
export function failureOf(error: unknown, provider: string, signal?: AbortSignal): Error {
  if (signal?.aborted) return abortError();
  if (error instanceof ProviderError) return error;
  const name = error instanceof Error ? error.name : "";
  const words = error instanceof Error ? error.message : String(error);
  const message = `The browser's model failed: ${words}`;
  const facts = { provider, cause: error };
  switch (name) {
    case "QuotaExceededError":
      return tooLong(provider, error);
    case "NotSupportedError":
      return new ModelNotAvailableError(message, {
        ...facts,
        hint: `This browser's model can't take this language or content. ${OTHER_PROVIDER}`,
      });
    case "NotAllowedError":
      return new ModelNotAvailableError(message, {
        ...facts,
        hint: "The browser or the page's policy does not allow the model; a download must begin with a click.",
      });
    case "NotReadableError":
      return new ProviderError(message, {
        ...facts,
        code: "REFUSED",
        category: "user",
        recoverable: false,
        hint: "The browser withheld the answer. Change the request.",
      });
    default:
      return new ProviderError(message, { ...facts, hint: `Try again. ${OTHER_PROVIDER}` });
  }
}

/** The conversation does not fit; the browser would forget its beginning without a word. */
export function tooLong(
  provider: string,
  cause?: unknown,
  needed?: number,
  window?: number,
): Error {
  const numbers = needed === undefined ? "" : ` (${needed} of ${window} tokens)`;
  return new ProviderError(`The conversation is too long for the browser's model${numbers}`, {
    provider,
    code: "CONTEXT_LENGTH",
    category: "user",
    recoverable: false,
    cause,
    hint: "Compact the conversation, or choose a provider with a larger window.",
  });
}

/** The model wrote something that is neither words nor a call. */
export function unreadable(provider: string, text: string): Error {
  return new ProviderError(`The browser's model gave an invalid answer: ${text.slice(0, 80)}`, {
    provider,
    code: "INVALID_RESPONSE",
    hint: `Small models sometimes break the required format: try again. ${OTHER_PROVIDER}`,
  });
}

/** The error for an unavailable model. */
export function notReady(provider: string, availability: Availability): Error {
  const [state, hint] =
    availability === "unavailable"
      ? ["is not there", `It needs desktop Chrome and a machine that can run it. ${OTHER_PROVIDER}`]
      : [
          "has not been downloaded",
          "Call `prepare()` when the person clicks; the download is large, and happens once.",
        ];
  return new ModelNotAvailableError(`The browser's own model ${state}`, { provider, hint });
}
