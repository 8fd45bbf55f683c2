import { timingSafeEqual } from "hono/utils/buffer";
import type { Owner } from "./principal/owner.ts";
import type { Principal } from "./principal/principal.ts";
import { SCOPES } from "./principal/scopes.ts";
import { fingerprintOf, hasExpired } from "./principal/granted.ts";
import { type Grant, grantsOf, type TokenTable } from "./principal/tokens.ts";
import { HttpProblem } from "./problem.ts";

export type { Owner };

export interface AuthenticationOptions {
  tokens: TokenTable;
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
): Promise<Principal> {
  const { anonymousOwner } = options;
  if (header === undefined && anonymousOwner !== undefined)
    return { owner: anonymousOwner, scopes: SCOPES };
  // At least one character: an empty token is never valid, whatever is configured.
  const token = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(header ?? "")?.[1];
  if (token === undefined) throw unauthorized("The request has no bearer token.");
  const credential = await fingerprintOf(token);
  let grant: Grant | undefined;
  // All are compared, each in constant time: the timing reveals neither the position nor the similarity of a match.
  for (const known of grantsOf(options.tokens)) {
    if (await timingSafeEqual(token, known.token)) grant = known;
  }
  if (!grant) throw unauthorized("The bearer token is not a known one.");
  if (hasExpired(grant)) throw unauthorized("The bearer token has expired.");
  const { owner, scopes } = grant;
  return { owner, scopes, credential };
}

function unauthorized(message: string): HttpProblem {
  return new HttpProblem(401, "UNAUTHORIZED", message, {
    hint: 'Send the header "Authorization: Bearer <token>" with a token of this server.',
    headers: { "www-authenticate": 'Bearer realm="robota"' },
  });
}
