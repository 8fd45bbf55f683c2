import type { Owner } from "./authenticate.ts";
import { digest } from "./digest.ts";
import { HttpProblem } from "./problem.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^Bearer (anonymous-[A-Za-z0-9_-]{43})$/i;

/** A new token for an unknown caller. It is the caller's only identity: the server keeps no list. */
export function newAnonymousToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
  const text = btoa(String.fromCharCode(...bytes));
  return `anonymous-${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The anonymous caller's token in an `Authorization` header; `undefined` for any other header. */
export function anonymousTokenOf(header: string | undefined): string | undefined {
  return TOKEN.exec(header ?? "")?.[1];
}

/** The owner that belongs to a token: `prefix` and a digest that reveals nothing about it. */
export async function anonymousOwnerOf(prefix: Owner, token: string): Promise<Owner> {
  return `${prefix}-${await digest(token)}`;
}

/** Reports whether an owner is one of the anonymous callers with this `prefix`. */
export function isAnonymousOwner(prefix: Owner, owner: Owner): boolean {
  return owner === prefix || owner.startsWith(`${prefix}-`);
}

/** The answer to a caller without a token who requests more than a first session. */
export function tokenNeeded(): HttpProblem {
  return new HttpProblem(401, "UNAUTHORIZED", "The request has no bearer token.", {
    hint: "POST /v1/sessions without a token makes a session and answers with a token for it.",
    headers: { "www-authenticate": 'Bearer realm="robota"' },
  });
}

/** The answer to a caller without a token who sends an idempotency key, which anybody could guess. */
export function keyNeedsToken(): HttpProblem {
  return new HttpProblem(400, "TOKEN_NEEDED", "An Idempotency-Key requires a token.", {
    hint: "Send `Authorization: Bearer anonymous-` and 43 random characters of base64url.",
  });
}
