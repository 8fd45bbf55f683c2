import { timingSafeEqual } from "hono/utils/buffer";
import { HttpProblem } from "./problem.ts";

/** The identity of a caller: the owner of their sessions. Letters, digits, `_` and `-`, at most 64. */
export type Owner = string;

export interface AuthenticationOptions {
  /** Owners and their tokens. */
  tokens: Readonly<Record<Owner, string>>;
  /** Owner of requests without an `Authorization` header; without it, they are refused. */
  anonymousOwner?: Owner | undefined;
}

/**
 * Finds out whose request this is, by its `Authorization: Bearer` header and nothing else: no cookie, no query.
 * @throws {HttpProblem} 401
 */
export async function authenticate(
  header: string | undefined,
  options: AuthenticationOptions,
): Promise<Owner> {
  if (header === undefined && options.anonymousOwner !== undefined) return options.anonymousOwner;
  // At least one character: an empty token is never valid, whatever is configured.
  const token = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(header ?? "")?.[1];
  if (token === undefined) throw unauthorized("The request has no bearer token.");
  let owner: Owner | undefined;
  // All are compared, each in constant time: the timing reveals neither the position nor the similarity of a match.
  for (const [candidate, expected] of Object.entries(options.tokens)) {
    if (await timingSafeEqual(token, expected)) owner = candidate;
  }
  if (owner === undefined) throw unauthorized("The bearer token is not a known one.");
  return owner;
}

function unauthorized(message: string): HttpProblem {
  return new HttpProblem(401, "UNAUTHORIZED", message, {
    hint: 'Send the header "Authorization: Bearer <token>" with a token of this server.',
    headers: { "www-authenticate": 'Bearer realm="robota"' },
  });
}
