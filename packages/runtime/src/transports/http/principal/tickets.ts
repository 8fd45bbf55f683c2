import { sign, verify } from "hono/jwt";
import { HttpProblem } from "../problem.ts";
import type { Principal, TicketUse } from "./principal.ts";
import { digest } from "../digest.ts";
import { fingerprints, hasExpired } from "./granted.ts";
import type { TokenTable } from "./tokens.ts";
import { includesScope, isScope, type Scope, sharedScopes } from "./scopes.ts";

const SECONDS = 60;
const ISSUER = "robota-ticket";

/** A ticket as its caller gets it. */
export interface IssuedTicket {
  ticket: string;
  /** ISO 8601. */
  expiresAt: string;
  scopes: readonly Scope[];
}

/**
 * Tickets stand in for a token in the address of an event stream or a WebSocket, where browsers can set no header. Each is
 * good for one session, within a minute, for one use.
 */
export interface Tickets {
  /** Makes one with the principal's scopes, or those of `scopes` that it has. */
  issue(
    principal: Principal,
    options: { session: string; scopes?: readonly Scope[] | undefined },
  ): Promise<IssuedTicket>;
  /**
   * The principal of a ticket for this session. Its `ticket` has still to be redeemed where the session runs, so that it
   * is refused the second time. `tokens`: the table that must still have the token that it was issued for.
   * @throws {HttpProblem} 401 for one that is forged, expired, for another session, or of a token that is not good any more
   */
  verify(
    ticket: string,
    options: { session: string; tokens?: TokenTable | undefined },
  ): Promise<Principal>;
}

/** Tickets that are signed with a key derived from `secret`: at least 32 random characters that only the operator has. */
export function ticketsFrom(secret: string): Tickets {
  let deriving: Promise<string> | undefined;
  const key = (): Promise<string> => (deriving ??= derive(secret));
  return {
    async issue(principal, { session, scopes = principal.scopes }) {
      const exp = Math.floor(Date.now() / 1000) + SECONDS;
      const granted = sharedScopes(principal.scopes, scopes);
      const claims = {
        iss: ISSUER,
        sub: principal.owner,
        aud: session,
        jti: crypto.randomUUID(),
        exp,
        scopes: granted,
        via: await seal(principal.credential, await key()),
      };
      const ticket = await sign(claims, await key(), "HS256");
      return { ticket, expiresAt: new Date(exp * 1000).toISOString(), scopes: granted };
    },
    async verify(ticket, { session, tokens = {} }) {
      const options = { alg: "HS256", iss: ISSUER, aud: session } as const;
      const claims = await verify(ticket, await key(), options).catch((): undefined => undefined);
      const principal = claims && principalIn(claims);
      if (!principal) throw refusedTicket();
      if (claims["via"] === undefined) return principal;
      const credential = await openSeal(claims["via"], await key(), tokens);
      if (credential === undefined) throw refusedTicket();
      return { ...principal, credential };
    },
  };
}

/** A memory of used tickets: says `false` to one that was redeemed before. For as long as this process lives. */
export function usedTickets(): (ticket: TicketUse) => boolean {
  const used = new Map<string, number>();
  return ({ id, expiresAt }) => {
    const now = Date.now();
    for (const [other, until] of used) if (until < now) used.delete(other);
    if (used.has(id) || expiresAt <= now) return false;
    used.set(id, expiresAt);
    return true;
  };
}

/** The answer to a ticket that is not good, or no longer. It does not say which. */
export function refusedTicket(): HttpProblem {
  return new HttpProblem(401, "TICKET_REFUSED", "The ticket is not a good one.", {
    hint: "A ticket is good once, for a minute, for its session. POST /v1/sessions/{id}/tickets makes another.",
    headers: { "www-authenticate": 'Bearer realm="robota"' },
  });
}

function principalIn(claims: Record<string, unknown>): Principal | undefined {
  const { sub: owner, jti: id, exp, scopes } = claims;
  if (typeof owner !== "string" || typeof id !== "string" || typeof exp !== "number")
    return undefined;
  if (!Array.isArray(scopes)) return undefined;
  const known = scopes.filter(isScope);
  if (!includesScope(known, "read")) return undefined;
  return { owner, scopes: known, ticket: { id, expiresAt: exp * 1000 } };
}

/** The token behind a ticket, as only this server can recognise it: tickets are seen, and tokens could be guessed. */
async function seal(credential: string | undefined, key: string): Promise<string | undefined> {
  return credential === undefined ? undefined : digest(`${key} ${credential}`);
}

/** The fingerprint of the token in the table that a ticket was issued for. */
async function openSeal(
  sealed: unknown,
  key: string,
  tokens: TokenTable,
): Promise<string | undefined> {
  for (const [credential, grant] of await fingerprints(tokens)) {
    if (!hasExpired(grant) && (await seal(credential, key)) === sealed) return credential;
  }
  return undefined;
}

/** A key of its own for this purpose, so that a leak of it reveals nothing about the secret. */
async function derive(secret: string): Promise<string> {
  const encoder = new TextEncoder();
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, [
    "deriveBits",
  ]);
  const bits = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(ISSUER) },
    base,
    256,
  );
  return Array.from(new Uint8Array(bits), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
