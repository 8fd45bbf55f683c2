import { ProviderError } from "../errors.ts";

type Fetch = typeof globalThis.fetch;

const MAX_REDIRECTS = 5;

/**
 * A `fetch` that takes a conversation nowhere but to the origin that it was meant for: redirects within it are followed as
 * far as they keep the method. For text bodies, which can be sent again. Browsers don't say where a redirect leads, so there none is followed.
 * Its calls reject with a `ProviderError` `REDIRECTED` whose hint names the new origin.
 */
export function sameOriginFetch(provider: string, fetch?: Fetch): Fetch {
  // The global one is looked up at call time, as it may be replaced.
  const send: Fetch = fetch ?? ((...args) => globalThis.fetch(...args));
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input);
    let response = await send(input, { ...init, redirect: "manual" });
    for (let redirects = 0; isRedirect(response); redirects++) {
      await response.body?.cancel();
      const target = targetOf(url, response);
      const keepsMethod = [307, 308].includes(response.status) || (init?.method ?? "GET") === "GET";
      if (target?.origin !== url.origin || !keepsMethod || redirects >= MAX_REDIRECTS) {
        throw redirected(provider, url, target, response.status);
      }
      url = target;
      response = await send(url.href, { ...init, redirect: "manual" });
    }
    return response;
  };
}

function isRedirect({ status, type }: Response): boolean {
  return type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(status);
}

function targetOf(from: URL, { headers }: Response): URL | undefined {
  const location = headers.get("location");
  return (location === null ? null : URL.parse(location, from)) ?? undefined;
}

function redirected(
  provider: string,
  from: URL,
  target: URL | undefined,
  status: number,
): ProviderError {
  const where =
    target &&
    (target.origin === from.origin ? `${target.origin}${target.pathname}` : target.origin);
  return new ProviderError(`${provider} redirects to another address; nothing was sent there`, {
    provider,
    status: status > 0 ? status : undefined,
    code: "REDIRECTED",
    category: "user",
    recoverable: false,
    hint: where
      ? `If you trust ${where} with the conversation, make it the base URL; else check the base URL and the network.`
      : "Check the base URL, and make the address that it leads to the base URL if you trust that with the conversation.",
  });
}
