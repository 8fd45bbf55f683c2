import { lookup as dnsLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { PinnedFetch } from "@robota/runtime/ports";
import type { Response as UndiciResponse } from "undici";

/** The addresses of a name, as this machine resolves it. */
export type ResolveHost = (host: string) => Promise<readonly { address: string; family: number }[]>;

/** The platform's `pinnedFetch`. It goes to the host itself: a proxy would resolve the name once more, out of reach. */
export function createPinnedFetch(
  resolve: ResolveHost = (host) => dnsLookup(host, { all: true, order: "verbatim" }),
): PinnedFetch {
  return async (url, { method, headers, body, redirect, signal }, accepts) => {
    // Node's own fetch takes no agent of another version of undici, and its own version can't be imported.
    const { Agent, fetch } = await import("undici");
    checkLiteral(url.hostname, accepts);
    // An agent for one request: a connection that one caller's rules allow is not there for another's.
    const agent = new Agent({ connect: { lookup: checkedLookup(resolve, accepts) } });
    const sent = new Headers(headers);
    const content = new Response(body);
    const type = content.headers.get("content-type");
    if (type !== null && !sent.has("content-type")) sent.set("content-type", type);
    try {
      const answer = await fetch(url, {
        method: method ?? "GET",
        headers: [...sent],
        // The classes of bodies, such as FormData, are not the same ones either.
        body: content.body ? await content.bytes() : null,
        redirect: redirect ?? "manual",
        signal: signal ?? null,
        dispatcher: agent,
      });
      return platformResponse(answer);
    } finally {
      // Ends with the body that is being read.
      void agent.close();
    }
  };
}

/** The same answer as the platform's own `Response`: undici's is of another class, for types and for `instanceof`. */
function platformResponse(answer: UndiciResponse): Response {
  const { status, statusText, url, redirected, headers } = answer;
  const body = answer.body && streamOf(answer.body);
  const response = new Response(body, { status, statusText, headers: [...headers] });
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
  });
}

function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const reading = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reading.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await reading.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Resolves a name and hands on its addresses only when all of them are accepted. */
function checkedLookup(
  resolve: ResolveHost,
  accepts: (address: string) => boolean,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        const addresses = found.filter(
          ({ family }) => !options.family || family === options.family,
        );
        const refused = found.find(({ address }) => !accepts(address));
        const [first] = addresses;
        if (refused) callback(refusal(host), "", 0);
        else if (!first) callback(notFound(host), "", 0);
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}

/** A numeric host is connected to without a lookup. */
function checkLiteral(hostname: string, accepts: (address: string) => boolean): void {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) !== 0 && !accepts(address)) throw refusal(address);
}

function refusal(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} is not accepted`), { code: "EACCES" });
}

function notFound(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
}
