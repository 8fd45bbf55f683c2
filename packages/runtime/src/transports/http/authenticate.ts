import { timingSafeEqual } from "hono/utils/buffer";
import type { Principal } from "./principal/principal.ts";
import { SCOPES } from "./principal/scopes.ts";
import { grantsOf, type TokenTable } from "./principal/tokens.ts";
import { HttpProblem } from "./problem.ts";

/** The identity of a caller: the owner of their sessions. Letters, digits, `_` and `-`, at most 64. */
export type Owner = string;

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
  let principal: Principal | undefined;
  // All are compared, each in constant time: the timing reveals neither the position nor the similarity of a match.
  for (const { owner, scopes, token: expected } of grantsOf(options.tokens)) {
    if (await timingSafeEqual(token, expected)) principal = { owner, scopes };
  }
  if (!principal) throw unauthorized("The bearer token is not a known one.");
  return principal;
}

function unauthorized(message: string): HttpProblem {
  return new HttpProblem(401, "UNAUTHORIZED", message, {
    hint: 'Send the header "Authorization: Bearer <token>" with a token of this server.',
    headers: { "www-authenticate": 'Bearer realm="robota"' },
  });
}
