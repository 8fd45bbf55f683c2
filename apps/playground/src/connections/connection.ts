import { isServiceId, type ServiceId } from "./service-titles.ts";

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

/** Host and port of an address. */
export function hostOf(baseURL: string): string | undefined {
  return URL.canParse(baseURL) ? new URL(baseURL).host : undefined;
}

/** The stored form of a connection, checked: other tabs and older versions have written it. */
export function isConnection(value: unknown): value is Connection {
  if (typeof value !== "object" || value === null) return false;
  const { service, provider, model, baseURL, contextWindow } = value as Record<string, unknown>;
  return (
    isServiceId(service) &&
    [provider, model, baseURL].every((text) => typeof text === "string") &&
    (contextWindow === undefined || typeof contextWindow === "number")
  );
}
