import type { Owner } from "./authenticate.ts";
import { digest } from "./digest.ts";
import { HttpProblem } from "./problem.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^Bearer (anonymous-[A-Za-z0-9_-]{43})$/i;

/** A new token for a caller whom nobody knows. It is all that makes them themselves: the server keeps no list. */
export function newAnonymousToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
  const text = btoa(String.fromCharCode(...bytes));
  return `anonymous-${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The anonymous caller's token in an `Authorization` header; `undefined` for any other header. */
export function anonymousTokenOf(header: string | undefined): string | undefined {
  return TOKEN.exec(header ?? "")?.[1];
}

/** The owner that only who has the token is: `prefix` and a digest that tells nothing about it. */
export async function anonymousOwnerOf(prefix: Owner, token: string): Promise<Owner> {
  return `${prefix}-${await digest(token)}`;
}

/** Whether an owner is one of the anonymous callers that `prefix` stands for. */
export function isAnonymousOwner(prefix: Owner, owner: Owner): boolean {
  return owner === prefix || owner.startsWith(`${prefix}-`);
}

/** For a caller without a token who asks for more than a first session. */
export function tokenNeeded(): HttpProblem {
  return new HttpProblem(401, "UNAUTHORIZED", "The request has no bearer token.", {
    hint: "POST /v1/sessions without a token makes a session and answers with a token for it.",
    headers: { "www-authenticate": 'Bearer realm="robota"' },
  });
}

/** For a caller without a token who wants to be known again by a key alone, which anybody could guess. */
export function keyNeedsToken(): HttpProblem {
  return new HttpProblem(
    400,
    "TOKEN_NEEDED",
    "An Idempotency-Key counts only for a caller who has a token.",
    { hint: "Send `Authorization: Bearer anonymous-` and 43 random characters of base64url." },
  );
}
