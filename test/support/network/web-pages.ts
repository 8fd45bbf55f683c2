import type { GuardedFetchOptions } from "../../../packages/runtime/src/network/guarded-fetch.ts";

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
}

/** A web of pages by address; unknown ones answer 404. */
function web(pages: Record<string, () => Response>): {
  fetch: typeof globalThis.fetch;
  sent: Sent[];
} {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { url, method, headers } = request;
      sent.push({ url, method, headers: Object.fromEntries(headers), body: await request.text() });
      init?.signal?.throwIfAborted();
      return pages[url]?.() ?? new Response("none", { status: 404 });
    },
  };
}

export const page =
  (text: string, type = "text/html") =>
  (): Response =>
    new Response(text, { headers: { "content-type": type } });
export const redirect =
  (location: string, status = 302) =>
  (): Response =>
    new Response(null, { status, headers: { location } });

export const from = (
  pages: Record<string, () => Response>,
  options: Omit<GuardedFetchOptions, "fetch"> = {},
): { sent: Sent[]; options: GuardedFetchOptions } => {
  const { fetch, sent } = web(pages);
  return { sent, options: { fetch, ...options } };
};
