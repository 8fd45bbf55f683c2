/**
 * A request with headers that a page may not set, as a server gets it: the headers of a request that was made in a browser
 * refuse them.
 */
export function requestWith(
  url: string,
  { headers, ...init }: Omit<RequestInit, "headers"> & { headers: Record<string, string> },
): Request {
  const request = new Request(url, init);
  Object.defineProperty(request, "headers", { value: new Headers(headers) });
  return request;
}
