import { errorFacts, errorMessage, isAbortError, ProviderError, RobotaError } from "../errors.ts";
import { redact } from "../messages/redact.ts";
import { failureOf } from "./errors.ts";

/** True when the same call can succeed later without any change; only an error that says so qualifies. */
function isRecoverable(error: unknown): boolean {
  return error instanceof RobotaError && error.recoverable;
}

/** The code of any thrown value; `UNKNOWN_ERROR` when it has none. */
function getErrorCode(error: unknown): string {
  return errorFacts(error).code;
}

/** Converts any thrown value to a `RobotaError`; a foreign one is not recoverable and becomes the `cause`. */
function fromUnknown(error: unknown): RobotaError {
  if (error instanceof RobotaError) return error;
  return new RobotaError(errorMessage(error), {
    code: getErrorCode(error),
    category: "system",
    recoverable: false,
    cause: error,
    hint: "The cause is the original error.",
  });
}

/** Secrets to keep out of messages, and the provider's name. */
export interface ProviderErrorContext {
  model?: string;
  /** Exact texts, such as the key. */
  secrets?: readonly string[];
}

/**
 * Converts any error of a model call to a `ProviderError`, for custom providers: by its HTTP `status` and `headers` if
 * present, as in errors of the common SDKs.
 * @throws the error itself when it is an abort, which is not a failure of a service
 */
function wrapProviderError(
  error: unknown,
  provider: string,
  { model = "", secrets = [] }: ProviderErrorContext = {},
): ProviderError {
  if (error instanceof ProviderError) return error;
  if (isAbortError(error)) throw error;
  const { status, headers, error: body } = partsOf(error);
  if (typeof status === "number") {
    const reply = { status, body: body ?? errorMessage(error), cause: error };
    const context = { provider, model, secrets };
    return failureOf(headers instanceof Headers ? { ...reply, headers } : reply, context).error;
  }
  return new ProviderError(`${provider} failed: ${redact(errorMessage(error), secrets)}`, {
    provider,
    cause: error,
    recoverable: error instanceof RobotaError ? error.recoverable : true,
    hint: error instanceof RobotaError ? error.hint : "The cause is the original error.",
  });
}

function partsOf(error: unknown): Partial<Record<"status" | "headers" | "error", unknown>> {
  return typeof error === "object" && error !== null ? error : {};
}

/** Helpers for errors of any origin. */
export const ErrorUtils = { isRecoverable, getErrorCode, fromUnknown, wrapProviderError } as const;
