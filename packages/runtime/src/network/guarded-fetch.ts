import { defined } from "../defined.ts";
import { abortError } from "../errors.ts";
import type { Platform } from "../ports/platform.ts";
import { type BodyReader, bodyReader, discard, tooLarge } from "./body-reader.ts";
import { EgressError } from "./egress-error.ts";
import { checkDestination, type Destination, type EgressPolicy } from "./policy.ts";
import { type GuardedRequest, isAnonymous, nextRequest } from "./redirect.ts";

export type { GuardedRequest } from "./redirect.ts";

const DEFAULT_BYTES = 10 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_REDIRECTS = 5;

/** The part of a platform that guarded requests use. */
export type Egress = Pick<Platform, "fetch" | "pinnedFetch">;

export interface GuardedFetchOptions extends Egress {
  /** Any public host on the ports of web servers by default. */
  policy?: EgressPolicy | undefined;
  signal?: AbortSignal | undefined;
  /** Limit for the decompressed body; default 10 MiB. More is an error. */
  maxBytes?: number | undefined;
  /** Milliseconds until the body has been read to its end; default 30,000. */
  timeoutMs?: number | undefined;
  /** Default 5. With 0 a redirect is an error. */
  maxRedirects?: number | undefined;
  /** Default true. With false, a redirect is returned as the answer, for the caller to follow; a page can't see one. */
  followsRedirects?: boolean | undefined;
  /** Media types that a successful answer may have, such as `application/json` or `text/*`; any when absent. */
  accepts?: readonly string[] | undefined;
}

/** An answer of any status. Read its body or `cancel()` it: until then the connection is held. */
export interface GuardedResponse extends BodyReader {
  readonly status: number;
  readonly statusText: string;
  /** A status from 200 to 299. */
  readonly ok: boolean;
  readonly headers: Headers;
  /** Address of the answer, without a fragment. */
  readonly url: string;
  /** The addresses that redirected, in order. In a browser only the first is known. */
  readonly redirects: readonly string[];
}

/**
 * Sends a request that reaches only the public internet, within the policy: for every address from a model, a page or a
 * project's file. Each redirect is checked like the first address; credentials stay with their origin.
 *
 * With `pinnedFetch` (Node), the very IP address of the connection is checked. A worker checks only the text of the
 * address, so its own network must have no private reach. So does a browser, which moreover follows redirects by
 * itself: a redirected request is sent on only without a body and without headers that could hold a credential, and
 * only the final address is checked, after the browser has requested it. Where that is not enough, use
 * `policy.allowHosts`.
 * @throws {EgressError} with a `code` for each kind of failure; names only the host and the port of an address
 * @throws {ConfigurationError} when the policy contains an invalid host
 * @throws {DOMException} `AbortError`
 */
export async function guardedFetch(
  target: string | URL,
  request: GuardedRequest,
  options: GuardedFetchOptions,
): Promise<GuardedResponse> {
  const { policy, timeoutMs = DEFAULT_TIMEOUT_MS, followsRedirects = true } = options;
  const maxRedirects = followsRedirects ? (options.maxRedirects ?? DEFAULT_REDIRECTS) : 0;
  if (options.signal?.aborted) throw abortError();
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const failed = (cause: unknown, { host }: URL): Error => {
    if (options.signal?.aborted) return abortError();
    if (cause instanceof EgressError) return cause;
    if (!timeout.aborted) return noAnswer(host, cause);
    return new EgressError("EGRESS_TIMEOUT", `${host} took over ${timeoutMs / 1000} s.`);
  };

  let destination = checkDestination(target, policy);
  let current: GuardedRequest = { ...request, method: (request.method ?? "GET").toUpperCase() };
  const redirects: string[] = [];
  for (;;) {
    const { url } = destination;
    let response: Response;
    try {
      response = await send(destination, current, { ...options, signal, maxRedirects });
    } catch (cause) {
      throw failed(cause, url);
    }
    try {
      const next = followsRedirects ? nextRequest(url, current, response) : undefined;
      if (!next) {
        const final = finalUrl(url, response, policy);
        if (final.href !== url.href) redirects.push(url.href);
        return answer(response, { url: final, redirects }, options, (cause) => failed(cause, url));
      }
      if (redirects.length >= maxRedirects) throw tooManyRedirects(url);
      discard(response);
      redirects.push(url.href);
      destination = checkDestination(next.url, policy, url);
      current = next.request;
    } catch (error) {
      discard(response);
      throw error;
    }
  }
}

type SendOptions = GuardedFetchOptions & { signal: AbortSignal; maxRedirects: number };

async function send(
  { url, isAccepted }: Destination,
  { method = "GET", headers, body }: GuardedRequest,
  { fetch, pinnedFetch, signal, maxRedirects }: SendOptions,
): Promise<Response> {
  const init: RequestInit = defined({
    method,
    headers: new Headers(headers),
    body,
    redirect: "manual",
    signal,
    ...withoutIdentity(),
  });
  if (pinnedFetch) {
    let isRefused = false;
    const accepts = (address: string): boolean => {
      const accepted = isAccepted(address);
      isRefused ||= !accepted;
      return accepted;
    };
    try {
      return await pinnedFetch(url, init, accepts);
    } catch (cause) {
      throw isRefused ? leadsInside(url, cause) : cause;
    }
  }
  const response = await fetch(url.href, init);
  // Only browsers hide a redirect, and only they follow it then.
  if (response.type !== "opaqueredirect") return response;
  if (maxRedirects === 0) throw tooManyRedirects(url);
  if (!["GET", "HEAD"].includes(method) || !isAnonymous(new Headers(headers))) {
    throw new EgressError(
      "EGRESS_REDIRECTS",
      `${url.host} redirects to an address that a page can't see.`,
      {
        hint: "Ask for the final address: a body or a credential is not sent on to an unknown one.",
      },
    );
  }
  return fetch(url.href, { ...init, redirect: "follow" });
}

/** Omits cookies and referrer, where a platform has them; workers reject options they lack. */
function withoutIdentity(): RequestInit {
  return "credentials" in Request.prototype
    ? { credentials: "omit", referrerPolicy: "no-referrer" }
    : {};
}

/** The final address in a browser. */
function finalUrl(asked: URL, response: Response, policy: EgressPolicy | undefined): URL {
  if (!response.redirected || response.url === "") return asked;
  return checkDestination(response.url, policy, asked).url;
}

function answer(
  response: Response,
  { url, redirects }: { url: URL; redirects: readonly string[] },
  { maxBytes = DEFAULT_BYTES, accepts }: GuardedFetchOptions,
  failed: (cause: unknown) => Error,
): GuardedResponse {
  const { status, statusText, ok, headers } = response;
  if (response.body && Number(headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
  const [type = ""] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  if (ok && accepts && !accepts.some((pattern) => isOfType(type.trim(), pattern))) {
    throw new EgressError(
      "EGRESS_TYPE",
      `${url.host} answered with ${type || "no type of content"}.`,
      {
        hint: `Accepted types: ${accepts.join(", ")}.`,
      },
    );
  }
  const reader = bodyReader(response, maxBytes, failed);
  return { status, statusText, ok, headers, url: url.href, redirects, ...reader };
}

function isOfType(type: string, pattern: string): boolean {
  return pattern.endsWith("/*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

function tooManyRedirects({ host }: URL): EgressError {
  return new EgressError("EGRESS_REDIRECTS", `${host} redirects more often than is followed.`);
}

function leadsInside({ host }: URL, cause: unknown): EgressError {
  return new EgressError("EGRESS_REFUSED", `${host} leads to an address that is not public.`, {
    cause,
    hint: "Only the public internet can be reached.",
  });
}

function noAnswer(host: string, cause: unknown): EgressError {
  const word = codeOf(cause);
  // A browser says nothing more than that it failed.
  const hint =
    word === undefined
      ? "The site is down, or it does not allow browser reads (CORS): a page can't tell which. Node and workers are not subject to CORS."
      : "Check that the host's name is right and that it is up.";
  return new EgressError("EGRESS_FAILED", `${host} gave no answer${word ? ` (${word})` : ""}.`, {
    cause,
    hint,
  });
}

/** The system's error code, such as `ECONNREFUSED`. Messages may contain the whole address. */
function codeOf(error: unknown): string | undefined {
  for (let next = error, depth = 0; next instanceof Error && depth < 5; depth += 1) {
    if ("code" in next && typeof next.code === "string" && /^[A-Z][A-Z\d_]+$/.test(next.code)) {
      return next.code;
    }
    next = next instanceof AggregateError ? (next.errors[0] as unknown) : next.cause;
  }
  return undefined;
}
