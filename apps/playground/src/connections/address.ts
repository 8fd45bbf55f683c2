import { type Connection, hostOf } from "./connection.ts";
import type { ServiceId } from "./service-titles.ts";
import { services } from "./services.ts";

/** @param baseURL the service's own when omitted */
export function connectionTo(
  service: ServiceId,
  model: string,
  baseURL: string = services[service].baseURL,
): Connection {
  const address = baseURL.trim().replace(/\/+$/, "");
  // Several addresses of one's own are different providers.
  const provider = service === "custom" ? (hostOf(address) ?? "custom") : service;
  return { service, provider, model: model.trim(), baseURL: address };
}

/** The origin that gets a connection's requests, and its key. */
export function originOf(baseURL: string): string {
  return URL.canParse(baseURL) ? new URL(baseURL).origin : "";
}

/** True for an address on this machine. */
export function isLoopback(baseURL: string): boolean {
  if (!URL.canParse(baseURL)) return false;
  const { hostname } = new URL(baseURL);
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    /^127(?:\.\d+){3}$/.test(hostname) ||
    hostname === "[::1]"
  );
}

/**
 * Returns why an address can't be used, for a person.
 * @param pageURL address of this page: only it may be asked over http besides this machine
 */
export function addressProblem(baseURL: string, pageURL: string): string | undefined {
  const address = baseURL.trim();
  if (address === "") return "Enter the address.";
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    return "Start with https://, or http:// for a server on this machine.";
  const { username, password, search, hash } = new URL(address);
  if (username || password || search || hash)
    return "Leave out names, passwords and everything after “?”. Keys have a field of their own.";
  const isOwn = originOf(address) === originOf(pageURL);
  if (address.startsWith("http:") && !isLoopback(address) && !isOwn)
    return "Over http, this page only calls localhost and 127.0.0.1. Use https.";
  return undefined;
}
