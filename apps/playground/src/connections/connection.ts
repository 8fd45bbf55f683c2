import { type ServiceId, services } from "./services.ts";

/** A way to a model: everything but the key. It is stored, and never holds a secret. */
export interface Connection {
  service: ServiceId;
  /** Name of the provider in logs; the same for all models of one address. */
  provider: string;
  model: string;
  /** Empty for what runs in the page itself. */
  baseURL: string;
  /** Tokens that the model can read, where the server says so. */
  contextWindow?: number | undefined;
}

export const OFFLINE: Connection = {
  service: "offline",
  provider: "offline",
  model: "script-1",
  baseURL: "",
};

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

/** Host and port of an address. */
export function hostOf(baseURL: string): string | undefined {
  return URL.canParse(baseURL) ? new URL(baseURL).host : undefined;
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

/** The stored form of a connection, checked: other tabs and older versions have written it. */
export function isConnection(value: unknown): value is Connection {
  if (typeof value !== "object" || value === null) return false;
  const { service, provider, model, baseURL, contextWindow } = value as Record<string, unknown>;
  return (
    typeof service === "string" &&
    Object.hasOwn(services, service) &&
    [provider, model, baseURL].every((text) => typeof text === "string") &&
    (contextWindow === undefined || typeof contextWindow === "number")
  );
}
