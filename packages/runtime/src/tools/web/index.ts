// Guarded requests and services that search the web, for programs that need them besides the web tools.
export { EgressError, type EgressErrorCode } from "../../network/egress-error.ts";
export {
  type Egress,
  guardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
  type GuardedResponse,
} from "../../network/guarded-fetch.ts";
export { type EgressPolicy, WEB_PORTS } from "../../network/policy.ts";
export {
  braveSearch,
  type KeyedSearchOptions,
  type SearxngOptions,
  searxngSearch,
  tavilySearch,
} from "./search-backends.ts";
export type { SearchBackend, SearchRequest, SearchResult } from "./search-backend.ts";
