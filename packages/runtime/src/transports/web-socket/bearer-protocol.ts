import { BEARER_PROTOCOL } from "./frames.ts";

/** The name of a subprotocol that carries a bearer token, for browsers, which can send no header with a socket. */
export function bearerProtocol(token: string): string {
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(token)));
  return BEARER_PROTOCOL + base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** An `Authorization` header by such a subprotocol among those of a request; `undefined` without one. */
export function bearerOf(protocols: string | undefined): string | undefined {
  const names = (protocols ?? "").split(",").map((name) => name.trim());
  const encoded = names.find((name) => name.startsWith(BEARER_PROTOCOL));
  if (encoded === undefined) return undefined;
  const base64 = encoded.slice(BEARER_PROTOCOL.length).replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return `Bearer ${new TextDecoder().decode(bytes)}`;
  } catch {
    // No token is like it.
    return "Bearer";
  }
}
