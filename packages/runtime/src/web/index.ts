// Guarded requests and services that search the web, for programs that need them besides the web tools.
export { EgressError, type EgressErrorCode } from "../egress/egress-error.ts";
export {
  type Egress,
  guardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
  type GuardedResponse,
} from "../egress/guarded-fetch.ts";
export { type EgressPolicy, WEB_PORTS } from "../egress/policy.ts";
export {
  braveSearch,
  type KeyedSearchOptions,
  type SearxngOptions,
  searxngSearch,
  tavilySearch,
} from "../tools/web/search-backends.ts";
export type { SearchBackend, SearchRequest, SearchResult } from "../tools/web/search-backend.ts";
