import type { Egress } from "../../network/guarded-fetch.ts";

/** One search result, as plain text. */
export interface SearchResult {
  title: string;
  url: string;
  snippet: string;
}

/** A query to a search service. */
export interface SearchRequest extends Egress {
  /** Maximum number of results. */
  limit: number;
  signal: AbortSignal;
}

/** A web search service. */
export interface SearchBackend {
  /** Name for people, such as `Brave`. */
  readonly name: string;
  /**
   * Results of the service, best first.
   * @throws {RobotaError} that contains neither the key nor the address
   */
  search(query: string, request: SearchRequest): Promise<SearchResult[]>;
}
