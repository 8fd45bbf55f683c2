import { abortError, type ProviderError } from "../errors.ts";
import { wait } from "../abort.ts";

/** Waits that a service asks for are honoured up to here; a longer one is for the caller to decide on. */
export const MAX_RETRY_WAIT_MS = 60_000;
const DEFAULT_MAX_RETRIES = 3;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;

/** The outcome of one attempt. `retry` is false as soon as anything of an answer was passed on. */
export type AttemptOutcome<Value> =
  | { value: Value }
  | { error: ProviderError; retry: boolean; retryAfterMs?: number | undefined };

/** A failed attempt that will be repeated. */
export interface Retry {
  /** Number of the coming attempt after the first one, from 1. */
  retry: number;
  /** Attempts after the first one that there are at most. */
  of: number;
  /** Milliseconds until then. */
  waitMs: number;
  error: ProviderError;
}

export interface RetryOptions {
  /** Attempts after the first one; 3 unless given. */
  maxRetries?: number | undefined;
  /** Called before each wait. */
  onRetry?: ((retry: Retry) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Returns a number in [0, 1). */
  random?: (() => number) | undefined;
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

/**
 * Repeats `attempt` while it fails in a way that may pass by itself. This is the only place where provider calls are
 * repeated.
 *
 * @throws the last attempt's error; an `AbortError` when `signal` aborts during a wait
 */
export async function withRetries<Value>(
  attempt: () => Promise<AttemptOutcome<Value>>,
  options: RetryOptions = {},
): Promise<Value> {
  const { maxRetries = DEFAULT_MAX_RETRIES, signal, random = Math.random, sleep = wait } = options;
  const { onRetry } = options;
  for (let retries = 0; ; retries += 1) {
    if (signal?.aborted) throw abortError();
    const result = await attempt();
    if ("value" in result) return result.value;
    const asked = result.retryAfterMs ?? 0;
    // A number that is none, such as one of a variable that is not set, must not retry without end.
    const mayRetry = retries < maxRetries && asked <= MAX_RETRY_WAIT_MS;
    if (!result.retry || !mayRetry) throw result.error;
    const waitMs = asked > 0 ? asked : backoff(retries, random);
    onRetry?.({ retry: retries + 1, of: maxRetries, waitMs, error: result.error });
    await sleep(waitMs, signal);
  }
}

/** Milliseconds before retry number `retries` (from 0): doubling from half a second to 8 s, up to a quarter less. */
export function backoff(retries: number, random: () => number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** retries, MAX_DELAY_MS);
  return delay * (1 - 0.25 * random());
}

/** True when the status says that the same request may succeed later. `x-should-retry` is the service's own word. */
export function isRetryableStatus(status: number, headers?: Headers): boolean {
  const word = headers?.get("x-should-retry");
  if (word === "true" || word === "false") return word === "true";
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/**
 * Milliseconds a service asks to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date). `undefined`
 * without a valid future time: zero, negative, not a number.
 */
export function retryAfter(headers: Headers, now: () => number = Date.now): number | undefined {
  const milliseconds = positive(Number(headers.get("retry-after-ms") ?? Number.NaN));
  if (milliseconds !== undefined) return milliseconds;
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  const seconds = Number(value);
  return positive(Number.isNaN(seconds) ? Date.parse(value) - now() : seconds * 1000);
}

function positive(value: number): number | undefined {
  return Number.isFinite(value) && value > 0 ? value : undefined;
}
