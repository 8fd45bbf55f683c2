/** A page of the web as the wire server shows it. */
export interface WirePage {
  status?: number;
  headers?: Record<string, string>;
  /** In it, `"$SENT"` becomes a JSON string of what was sent: `method`, `url`, `headers`, `body`. */
  body?: string;
  /** In place of `body`: bytes in base64. */
  bytes?: string;
  /** No page of another origin may read it. */
  isClosed?: boolean;
}

/** The page's address on the wire server at `origin`. */
export function pageAddress(origin: string, page: WirePage): string {
  const bytes = new TextEncoder().encode(JSON.stringify(page));
  const text = btoa(String.fromCharCode(...bytes));
  return `${origin}/page/${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}
