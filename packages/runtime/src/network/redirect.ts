import { EgressError } from "./egress-error.ts";

/** A request. A one-time body is not sent on to a redirect's target. */
export interface GuardedRequest {
  /** Default `GET`. */
  method?: string | undefined;
  headers?: NonNullable<RequestInit["headers"]> | undefined;
  body?: NonNullable<RequestInit["body"]> | undefined;
}

/** Headers that reveal nothing about the client: all that goes to another origin. */
const ANONYMOUS_HEADERS = new Set(["accept", "accept-language", "user-agent", "range"]);
const BODY_HEADERS = ["content-type", "content-length", "content-encoding", "content-language"];

/**
 * The request that a redirect asks for, as browsers would send it but stricter: another origin gets no header that
 * could hold a credential, and no body. `undefined` when the answer is not a redirect.
 * @throws {EgressError} `EGRESS_REDIRECTS` when it can't be followed
 */
export function nextRequest(
  from: URL,
  request: GuardedRequest,
  { status, headers: answered }: Pick<Response, "status" | "headers">,
): { url: string; request: GuardedRequest } | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const location = answered.get("location");
  const url = location === null ? null : URL.parse(location, from);
  if (!url) throw cannotFollow(from, "without an address");
  const { method = "GET", body } = request;
  const becomesGet = status === 303 ? method !== "HEAD" : status <= 302 && method === "POST";
  const isElsewhere = url.origin !== from.origin;
  const headers = new Headers(
    [...new Headers(request.headers)].filter(([name]) => !isElsewhere || isAnonymousName(name)),
  );
  if (becomesGet || body === undefined) {
    for (const name of BODY_HEADERS) headers.delete(name);
    return { url: url.href, request: { method: becomesGet ? "GET" : method, headers } };
  }
  if (isElsewhere) throw cannotFollow(from, "a request with a body to another origin");
  if (body instanceof ReadableStream) throw cannotFollow(from, "a body that can be sent only once");
  return { url: url.href, request: { method, headers, body } };
}

/** Reports whether no header could be a credential. */
export function isAnonymous(headers: Headers): boolean {
  return [...headers.keys()].every(isAnonymousName);
}

function isAnonymousName(name: string): boolean {
  return ANONYMOUS_HEADERS.has(name);
}

function cannotFollow({ host }: URL, what: string): EgressError {
  return new EgressError("EGRESS_REDIRECTS", `${host} redirects ${what}.`, {
    hint: "Ask for the final address.",
  });
}
