// The web tools with options of their own, and services that search the web.
export { createWebFetchTool } from "../builtin/web-fetch.ts";
export { createWebSearchTool, type WebSearchOptions } from "../builtin/web-search.ts";
export type { WebFetchArgs, WebFetchOptions } from "./fetch-page.ts";
export type { SearchBackend, SearchRequest, SearchResult } from "./search-backend.ts";
export {
  braveSearch,
  type KeyedSearchOptions,
  type SearxngOptions,
  searxngSearch,
  tavilySearch,
} from "./search-backends.ts";
export type { WebSearchArgs } from "./search-web.ts";
