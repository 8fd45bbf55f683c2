import type { Platform } from "../../ports/platform.ts";
import { ToolFailure } from "../failure.ts";
import { counted, cutEnd } from "../text-limit.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { SearchBackend, SearchResult } from "./search-backend.ts";
import { braveSearch, searxngSearch, tavilySearch } from "./search-backends.ts";
import { markUntrusted } from "./untrusted.ts";

export type WebSearchArgs = {
  query: string;
  limit?: number;
};

const DEFAULT_LIMIT = 8;
const TITLE_CHARACTERS = 200;
const SNIPPET_CHARACTERS = 600;
const URL_CHARACTERS = 2000;

/** Searches with the given service, or with the one that the environment names. */
export async function searchWeb(
  { query, limit = DEFAULT_LIMIT }: WebSearchArgs,
  given: SearchBackend | undefined,
  { platform, signal }: ToolContext,
): Promise<ToolResult> {
  const backend = given ?? backendOf(platform);
  const { fetch, pinnedFetch } = platform;
  const request = { limit, signal, fetch, ...(pinnedFetch && { pinnedFetch }) };
  const found = await backend.search(query, request);
  const results = found
    .filter(({ url }) => url.length <= URL_CHARACTERS)
    .slice(0, limit)
    .map(tidy);
  const data = { backend: backend.name, results: results.map((result) => ({ ...result })) };
  if (results.length === 0) {
    return { success: true, output: `${backend.name} found nothing for this query.`, data };
  }
  const list = results.map(({ title, url, snippet }, index) =>
    `${index + 1}. ${title || url}\n   ${url}\n   ${snippet}`.trimEnd(),
  );
  const head = `${counted(results.length, "result")} of ${backend.name}. WebFetch reads a page.`;
  return { success: true, output: `${head}\n${markUntrusted(list.join("\n"), platform)}`, data };
}

/** The service that the environment names: the first of Brave, Tavily and SearXNG. */
function backendOf(platform: Platform): SearchBackend {
  const brave = platform.env("BRAVE_API_KEY");
  if (brave) return braveSearch({ apiKey: brave });
  const tavily = platform.env("TAVILY_API_KEY");
  if (tavily) return tavilySearch({ apiKey: tavily });
  const searxng = platform.env("SEARXNG_URL");
  if (searxng) return searxngSearch({ url: searxng });
  throw new ToolFailure("not_configured", "No search service is set up.", {
    hint: "Whoever runs this can set BRAVE_API_KEY, TAVILY_API_KEY or SEARXNG_URL, or give createWebSearchTool a backend. WebFetch works without one.",
  });
}

function tidy({ title, url, snippet }: SearchResult): SearchResult {
  return {
    title: oneLine(title, TITLE_CHARACTERS),
    url,
    snippet: oneLine(snippet, SNIPPET_CHARACTERS),
  };
}

function oneLine(text: string, limit: number): string {
  const line = text
    .slice(0, 4 * limit)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > limit ? `${cutEnd(line, limit)}…` : line;
}
