import { lookup as dnsLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { PinnedFetch } from "@robota/runtime";

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
      return await fetch(url, {
        method: method ?? "GET",
        headers: [...sent],
        // The classes of bodies, such as FormData, are not the same ones either.
        body: content.body ? await content.bytes() : null,
        redirect: redirect ?? "manual",
        signal: signal ?? null,
        dispatcher: agent,
      });
    } finally {
      // Ends with the body that is being read.
      void agent.close();
    }
  };
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

/** A host that is an address is connected to without a lookup. */
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
