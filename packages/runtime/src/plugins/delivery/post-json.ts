import { NetworkError, ProviderError } from "../../errors.ts";
import { currentPage, networkError } from "../../providers/network.ts";
import {
  type AttemptOutcome,
  isRetryableStatus,
  type RetryOptions,
  retryAfter,
  withRetries,
} from "../../providers/retry.ts";

export interface PostOptions {
  /** Gets a POST with a JSON body. */
  url: string;
  /** Fetch, such as `platform.fetch`. */
  fetch: typeof globalThis.fetch;
  /** Sent along, such as an `authorization`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds for one try; 10,000 when omitted. */
  timeoutMs?: number | undefined;
  /** Tries after the first one, with growing waits in between; 3 when omitted. */
  maxRetries?: number | undefined;
  /** Returns a number in [0, 1); jitter for the waits. */
  random?: (() => number) | undefined;
  sleep?: RetryOptions["sleep"] | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Posts a JSON text and tries again as the receiver's status and `retry-after` suggest. `name` is for error messages:
 * the address may be a secret. `sign` gives headers for each try.
 * @throws {ProviderError} not `recoverable` when the receiver refuses the content; {NetworkError} without an answer
 */
export function postJson(
  name: string,
  body: string,
  options: PostOptions & { signal: AbortSignal },
  sign: () => Promise<Record<string, string>> = async () => ({}),
): Promise<void> {
  const { signal, maxRetries, random, sleep } = options;
  const attempt = (): Promise<AttemptOutcome<void>> => post(name, body, options, sign);
  return withRetries(attempt, { signal, maxRetries, random, sleep });
}

async function post(
  name: string,
  body: string,
  options: PostOptions & { signal: AbortSignal },
  sign: () => Promise<Record<string, string>>,
): Promise<AttemptOutcome<void>> {
  const { url, fetch, headers, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signed = await sign();
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...signed, "content-type": "application/json" },
      body,
      // Redirects are not followed: the data is meant for this address alone.
      redirect: "manual",
      signal: AbortSignal.any([options.signal, timeout]),
    });
  } catch (cause) {
    const error = timeout.aborted
      ? new NetworkError(`${name} did not answer within ${timeoutMs} ms`, {
          provider: name,
          cause,
          hint: "Raise timeoutMs when the receiver is only slow.",
        })
      : networkError({ provider: name, url, cause, page: await currentPage(url) });
    return { error, retry: !options.signal.aborted };
  }
  // The body is irrelevant; unread, it would hold the connection.
  await response.body?.cancel();
  if (response.ok) return { value: undefined };
  return refusal(name, response);
}

function refusal(name: string, { status, headers }: Response): AttemptOutcome<void> {
  const retry = isRetryableStatus(status, headers);
  const redirects = status === 0 || (status >= 300 && status < 400);
  const error = new ProviderError(
    redirects ? `${name} answered with a redirect` : `${name} answered ${status}`,
    {
      provider: name,
      status,
      recoverable: retry,
      hint: redirects
        ? "Give the address that it leads to: redirects are not followed."
        : retry
          ? "The receiver has a problem; the delivery is retried later."
          : "Check the address, the headers and the secret: the receiver rejects the requests.",
    },
  );
  return { error, retry, retryAfterMs: retryAfter(headers) };
}
