/** A web page served by the wire server. */
export interface WirePage {
  status?: number;
  headers?: Record<string, string>;
  /** The body, in which `"$SENT"` becomes a JSON string of the request: `method`, `url`, `headers`, `body`. */
  body?: string;
  /** Replaces `body`: bytes in base64. */
  bytes?: string;
  /** True if no page of another origin may read it. */
  isClosed?: boolean;
}

/** The page's address on the wire server at `origin`. */
export function pageAddress(origin: string, page: WirePage): string {
  const bytes = new TextEncoder().encode(JSON.stringify(page));
  const text = btoa(String.fromCharCode(...bytes));
  return `${origin}/page/${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}
