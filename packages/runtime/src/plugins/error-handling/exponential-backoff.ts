import { RateLimitError, RobotaError } from "../../errors.ts";
import { MAX_RETRY_WAIT_MS } from "../../providers/retry.ts";
import type { ErrorStrategy } from "./error-strategy.ts";

export interface ExponentialBackoffOptions {
  /** Attempts of one run, the first one included; 3 when omitted. */
  maxAttempts?: number | undefined;
  /** Milliseconds before the second attempt; 1,000 when omitted. It doubles for each further one. */
  firstDelayMs?: number | undefined;
  /** Maximum of one wait in milliseconds; 30,000 by default. */
  maxDelayMs?: number | undefined;
  /** The share of a wait that chance may take off, from 0 to 1; 0.25 when omitted. */
  jitter?: number | undefined;
  /** Returns a number in [0, 1). */
  random?: (() => number) | undefined;
}

/**
 * Retries a run after errors that are `recoverable`, waiting as long as a `RateLimitError` asks, up to a minute: a
 * longer one fails at once, so that a person can decide.
 *
 * Multiplies with the provider's own retries, which happen inside an attempt: a request that keeps failing is sent up
 * to `maxAttempts × (1 + maxRetries of the provider)` times. A provider with `maxRetries: 0` leaves the counting to
 * this strategy alone. A new attempt resumes the conversation: finished tools are not run again.
 */
export function exponentialBackoff(options: ExponentialBackoffOptions = {}): ErrorStrategy {
  const { maxAttempts = 3, firstDelayMs = 1000, maxDelayMs = 30_000 } = options;
  const { jitter = 0.25, random = Math.random } = options;
  return {
    name: "exponential-backoff",
    onError({ attempt, signal }, error) {
      if (attempt >= maxAttempts || signal.aborted || !isRetryable(error)) return undefined;
      const asked = error instanceof RateLimitError ? (error.retryAfterMs ?? 0) : 0;
      if (asked > MAX_RETRY_WAIT_MS) return undefined;
      const delay = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);
      return { retryAfterMs: asked > 0 ? asked : delay * (1 - jitter * random()) };
    },
  };
}

function isRetryable(error: Error): boolean {
  return error instanceof RobotaError && error.recoverable;
}
