import type { FetchLike } from "@modelcontextprotocol/client";
import { EgressError } from "../network/egress-error.ts";
import type { Egress } from "../network/guarded-fetch.ts";
import { checkDestination, type EgressPolicy } from "../network/policy.ts";

/** Bytes of one answer, which for a stream of events is the whole stream; more breaks it off. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The platform's fetch for addresses of servers, and for those that a server names in turn, such as its authorization
 * server. Only the public internet is reached, except for what `policy` allows. No redirect is followed, since a request
 * may hold a credential, and cookies are never sent.
 */
export function policedFetch(egress: Egress, policy: (address: URL) => EgressPolicy): FetchLike {
  return async (address, init) => {
    const { url, isAccepted } = checkDestination(address, policy(new URL(address)));
    const request: RequestInit = { ...init, redirect: "manual", ...withoutIdentity() };
    const { fetch, pinnedFetch } = egress;
    const response = pinnedFetch
      ? await pinnedFetch(url, request, isAccepted)
      : await fetch(url.href, request);
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel();
      throw new EgressError("EGRESS_REDIRECTS", `${url.host} redirects, which is not followed.`, {
        hint: "Name the final address of the server.",
      });
    }
    return bounded(response);
  };
}

/** Workers reject options that they lack. */
function withoutIdentity(): RequestInit {
  return "credentials" in Request.prototype
    ? { credentials: "omit", referrerPolicy: "no-referrer" }
    : {};
}

function bounded(response: Response): Response {
  if (!response.body) return response;
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > MAX_BYTES)
        controller.error(
          new EgressError("EGRESS_TOO_LARGE", "The answer of the server is too large."),
        );
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}
