// Services that search the web, for programs that need them besides the web tools.
export {
  braveSearch,
  type KeyedSearchOptions,
  type SearxngOptions,
  searxngSearch,
  tavilySearch,
} from "./search-backends.ts";
export type { SearchBackend, SearchRequest, SearchResult } from "./search-backend.ts";
