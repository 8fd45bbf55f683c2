import type { Egress } from "../../network/guarded-fetch.ts";

/** One page that a search found, as plain text. */
export interface SearchResult {
  title: string;
  url: string;
  snippet: string;
}

export interface SearchRequest extends Egress {
  /** At most as many results. */
  limit: number;
  signal: AbortSignal;
}

/** A service that searches the web. */
export interface SearchBackend {
  /** For people, such as `Brave`. */
  readonly name: string;
  /**
   * What the service found, best first.
   * @throws {RobotaError} that names neither the key nor the address it asked
   */
  search(query: string, request: SearchRequest): Promise<SearchResult[]>;
}
