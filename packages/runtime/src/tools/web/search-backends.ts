import type { EgressPolicy } from "../../network/policy.ts";
import { ConfigurationError } from "../../errors.ts";
import { ToolFailure } from "../failure.ts";
import type { SearchBackend, SearchRequest, SearchResult } from "./search-backend.ts";

const MAX_BYTES = 2 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

export interface KeyedSearchOptions {
  apiKey: string;
  /** Another address of the service, such as a gateway's; it may be private. */
  url?: string | undefined;
}

export interface SearxngOptions {
  /** The instance's address, such as `http://localhost:8888`; it may be private. Its settings must list `json` under `search.formats`. */
  url: string;
  /** Sent with each search, such as an authorization for a gateway in front of it. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Brave's search API. */
export function braveSearch({ apiKey, url }: KeyedSearchOptions): SearchBackend {
  const { endpoint, policy } = placeOf(
    "Brave",
    url,
    "https://api.search.brave.com/res/v1/web/search",
  );
  const headers = { "x-subscription-token": checkKey("Brave", apiKey) };
  return {
    name: "Brave",
    async search(query, request) {
      const target = new URL(endpoint);
      target.searchParams.set("q", query);
      target.searchParams.set("count", String(Math.min(request.limit, 20)));
      // By default, matched terms are wrapped in tags.
      target.searchParams.set("text_decorations", "false");
      const answer = await ask("Brave", target, { headers }, { ...request, policy });
      return resultsIn("Brave", objectIn(answer, "web")?.["results"] ?? [], "description");
    },
  };
}

/** Tavily's search API. */
export function tavilySearch({ apiKey, url }: KeyedSearchOptions): SearchBackend {
  const { endpoint, policy } = placeOf("Tavily", url, "https://api.tavily.com/search");
  const headers = {
    authorization: `Bearer ${checkKey("Tavily", apiKey)}`,
    "content-type": "application/json",
  };
  return {
    name: "Tavily",
    async search(query, request) {
      const body = JSON.stringify({ query, max_results: Math.min(request.limit, 20) });
      const asked = { method: "POST", headers, body };
      const answer = await ask("Tavily", endpoint, asked, { ...request, policy });
      return resultsIn("Tavily", answer["results"], "content");
    },
  };
}

/** Search by your own SearXNG instance. */
export function searxngSearch({ url, headers = {} }: SearxngOptions): SearchBackend {
  const { endpoint, policy } = placeOf("SearXNG", url);
  endpoint.pathname = `${endpoint.pathname.replace(/\/(?:search\/?)?$/, "")}/search`;
  return {
    name: "SearXNG",
    async search(query, request) {
      const target = new URL(endpoint);
      target.searchParams.set("q", query);
      target.searchParams.set("format", "json");
      const asked = { headers: { ...headers } };
      const answer = await ask("SearXNG", target, asked, { ...request, policy });
      return resultsIn("SearXNG", answer["results"], "content");
    },
  };
}

type Fields = Partial<Record<string, unknown>>;

interface Asked {
  method?: string;
  headers: Record<string, string>;
  body?: string;
}

/** Asks the service for JSON. With a key in the request, no redirect is followed. */
async function ask(
  name: string,
  url: URL,
  asked: Asked,
  { fetch, pinnedFetch, policy, signal }: SearchRequest & { policy: EgressPolicy },
): Promise<Fields> {
  const { guardedFetch } = await import("../../network/guarded-fetch.ts");
  const response = await guardedFetch(
    url,
    { ...asked, headers: { accept: "application/json", ...asked.headers } },
    {
      fetch,
      pinnedFetch,
      policy,
      signal,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    },
  );
  if (!response.ok) {
    response.cancel();
    throw refusal(name, response.status, response.headers.get("retry-after"));
  }
  try {
    return fields(JSON.parse(await response.text())) ?? {};
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw unreadable(name);
  }
}

function resultsIn(name: string, list: unknown, snippet: string): SearchResult[] {
  if (!Array.isArray(list)) throw unreadable(name);
  return list.flatMap((one: unknown) => {
    const found = fields(one) ?? {};
    const url = URL.parse(textOf(found["url"]));
    if (!url || !["http:", "https:"].includes(url.protocol)) return [];
    return [{ title: textOf(found["title"]), url: url.href, snippet: textOf(found[snippet]) }];
  });
}

function refusal(name: string, status: number, retryAfter: string | null): ToolFailure {
  const hints: Partial<Record<number, string>> = {
    401: "Its key is missing or wrong: the person who configured the search can correct it.",
    403:
      name === "SearXNG"
        ? "Its settings.yml must list json under search.formats."
        : "Its key lacks the permission: the person who configured the search can correct it.",
    402: "Its plan is used up.",
    422: "It does not take this query, or its key.",
    429: `Too many searches: wait ${retryAfter === null ? "a while" : `(Retry-After: ${retryAfter})`}.`,
    432: "Its plan is used up.",
  };
  const hint = hints[status];
  return new ToolFailure(`http_${status}`, `${name} answered ${status}.`, { hint });
}

function unreadable(name: string): ToolFailure {
  return new ToolFailure("bad_answer", `${name} answered in a form that is not understood.`, {
    hint: "Check its address.",
  });
}

/** The service's address. A configured one may be private; the default is public. */
function placeOf(
  name: string,
  given: string | undefined,
  own = "",
): { endpoint: URL; policy: EgressPolicy } {
  const endpoint = URL.parse(given ?? own);
  const isHttp = endpoint && /^https?:$/.test(endpoint.protocol);
  if (!isHttp || endpoint.username !== "" || endpoint.password !== "") {
    throw new ConfigurationError(`The address of ${name} is not an http address`, {
      hint: "Give a whole one without a user name, such as http://localhost:8888.",
    });
  }
  const policy = given === undefined ? {} : { allowPrivateOrigins: [endpoint.origin] };
  return { endpoint, policy };
}

function checkKey(name: string, key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new ConfigurationError(`The key of ${name} is empty or holds characters that no key has`, {
    hint: "Copy it again, without spaces and line ends.",
  });
}

function objectIn(value: Fields, key: string): Fields | undefined {
  return fields(value[key]);
}

function fields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null ? (value as Fields) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
