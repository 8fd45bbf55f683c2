import { errorFacts, errorMessage, isAbortError, ProviderError, RobotaError } from "../errors.ts";
import { redact } from "../messages/redact.ts";
import { failureOf } from "./errors.ts";

/** Whether the same call can succeed later without anybody changing anything; only an error that says so can. */
function isRecoverable(error: unknown): boolean {
  return error instanceof RobotaError && error.recoverable;
}

/** The code of whatever was thrown; `UNKNOWN_ERROR` when it has none. */
function getErrorCode(error: unknown): string {
  return errorFacts(error).code;
}

/** Whatever was thrown as a `RobotaError`; one that is none is not recoverable, and the cause of what is returned. */
function fromUnknown(error: unknown): RobotaError {
  if (error instanceof RobotaError) return error;
  return new RobotaError(errorMessage(error), {
    code: getErrorCode(error),
    category: "system",
    recoverable: false,
    cause: error,
    hint: "The cause is the error as it was thrown.",
  });
}

/** What to keep out of messages, and whose model was asked. */
export interface ProviderErrorContext {
  model?: string;
  /** Exact texts, such as the key. */
  secrets?: readonly string[];
}

/**
 * Whatever the call of a model's service threw as a `ProviderError`, for providers of one's own: by its HTTP `status`
 * and `headers` when it has them, as those of the common SDKs do.
 * @throws the error itself when it is an abort: that is no failure of a service
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
    hint: error instanceof RobotaError ? error.hint : "The cause is the error as it was thrown.",
  });
}

function partsOf(error: unknown): Partial<Record<"status" | "headers" | "error", unknown>> {
  return typeof error === "object" && error !== null ? error : {};
}

/** What code that gets errors of any origin needs to know about them. */
export const ErrorUtils = { isRecoverable, getErrorCode, fromUnknown, wrapProviderError } as const;
