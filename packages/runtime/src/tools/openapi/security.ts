import { ConfigurationError } from "../../errors.ts";
import type { JsonObject } from "../../messages/message.ts";
import { nameHint } from "../../messages/near-names.ts";
import { follow, record, text } from "./document.ts";
import type { Credential, DocumentOperation } from "./operation.ts";

/**
 * Credential for one security scheme: a key, a token, `user:password` in parts, or a function that returns the current
 * key or token.
 */
export type OpenAPICredential =
  | string
  | { username: string; password: string }
  | (() => Promise<string> | string);

/** A credential with its place in the request. */
export interface CredentialPlan extends Credential {
  value(): Promise<string>;
}

/** The places of the document's keys, so that no parameter of a tool asks a model for one. */
export function credentialPlaces(document: JsonObject): Credential[] {
  return Object.values(schemesOf(document)).flatMap((scheme) => {
    const described = follow(document, scheme);
    const place = placeOf(described);
    return described["type"] === "apiKey" && place
      ? [{ in: place, name: text(described["name"]) }]
      : [];
  });
}

/**
 * The credentials of a call: those of the first alternative for which all are given. Otherwise the reason why the
 * operation can't be called.
 */
export function planSecurity(
  document: JsonObject,
  { security }: Pick<DocumentOperation, "security">,
  credentials: Readonly<Record<string, OpenAPICredential>>,
): CredentialPlan[] | { reason: string } {
  if (security.length === 0) return [];
  const wanting: string[] = [];
  for (const alternative of security.filter((one) => Object.keys(one).length > 0)) {
    const names = Object.keys(alternative);
    const plans = names.map((name) => planScheme(document, name, credentials));
    const missing = names.filter((_, index) => !plans[index]);
    if (missing.length === 0) return plans.filter((plan) => plan !== undefined);
    wanting.push(missing.join(" and "));
  }
  if (security.some((one) => Object.keys(one).length === 0)) return [];
  return { reason: `it needs credentials for ${wanting.join(", or for ")}` };
}

/** @throws {ConfigurationError} for a credential of a scheme that the document does not have */
export function checkCredentials(
  document: JsonObject,
  credentials: Readonly<Record<string, OpenAPICredential>>,
): void {
  const known = Object.keys(schemesOf(document));
  const unknown = Object.keys(credentials).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ConfigurationError(`The OpenAPI document has no security scheme "${unknown}"`, {
    hint: nameHint(unknown, known),
  });
}

function planScheme(
  document: JsonObject,
  name: string,
  credentials: Readonly<Record<string, OpenAPICredential>>,
): CredentialPlan | undefined {
  const credential = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
  if (credential === undefined) return undefined;
  const scheme = follow(document, schemesOf(document)[name]);
  const type = text(scheme["type"]);
  const give = (wrap: (value: string) => string) => async () =>
    wrap(sound(name, await valueOf(credential)));
  if (type === "apiKey") {
    const place = placeOf(scheme);
    return place && { in: place, name: text(scheme["name"]), value: give((value) => value) };
  }
  const header = { in: "header", name: "authorization" } as const;
  const kind = text(scheme["scheme"]).toLowerCase();
  if (type === "http" && kind === "basic")
    return { ...header, value: give((value) => `Basic ${base64(value)}`) };
  // A token of OAuth 2 or OpenID Connect is a bearer token, however the caller got it.
  if (kind === "bearer" || type === "oauth2" || type === "openIdConnect")
    return { ...header, value: give((value) => `Bearer ${value}`) };
  return undefined;
}

async function valueOf(credential: OpenAPICredential): Promise<string> {
  if (typeof credential === "function") return credential();
  if (typeof credential === "string") return credential;
  return `${credential.username}:${credential.password}`;
}

/** Rejects invalid header values; the message of `fetch` for one contains its text. */
function sound(scheme: string, value: string): string {
  const trimmed = value.trim();
  if (trimmed !== "" && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new ConfigurationError(`The credential for ${scheme} is empty or has control characters`, {
    hint: "Check its source: it may contain a line break.",
  });
}

function schemesOf(document: JsonObject): JsonObject {
  return record(record(document["components"])["securitySchemes"]);
}

function placeOf(scheme: JsonObject): "header" | "query" | "cookie" | undefined {
  return (["header", "query", "cookie"] as const).find((place) => place === scheme["in"]);
}

function base64(value: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(value)));
}
