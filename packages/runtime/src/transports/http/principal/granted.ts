import { digest } from "../digest.ts";
import type { Principal } from "./principal.ts";
import { type Grant, grantsOf, type TokenTable } from "./tokens.ts";

/** The grants of tables by the fingerprints of their tokens. */
const known = new WeakMap<TokenTable, Promise<ReadonlyMap<string, Grant>>>();

/** A stand-in for a token wherever its principal goes: equal for equal tokens, and useless as a token. */
export function fingerprintOf(token: string): Promise<string> {
  return digest(token);
}

/** Reports whether a token is past its time. */
export function hasExpired({ expiresAt }: Pick<Grant, "expiresAt">): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}

/**
 * Reports whether the token behind a principal is still one of the table, and has not expired. For what outlives the request
 * that opened it. Anonymous callers have no token there, and stay.
 */
export async function isStillGranted(
  { credential, owner }: Principal,
  tokens: TokenTable,
): Promise<boolean> {
  if (credential === undefined) return true;
  const grant = (await fingerprints(tokens)).get(credential);
  return grant !== undefined && grant.owner === owner && !hasExpired(grant);
}

/** The grants of a table by the fingerprints of their tokens. Computed once for a table, which never changes. */
export function fingerprints(tokens: TokenTable): Promise<ReadonlyMap<string, Grant>> {
  const made = known.get(tokens) ?? fingerprint(tokens);
  known.set(tokens, made);
  return made;
}

async function fingerprint(tokens: TokenTable): Promise<ReadonlyMap<string, Grant>> {
  return new Map(
    await Promise.all(
      grantsOf(tokens).map(async (grant) => [await fingerprintOf(grant.token), grant] as const),
    ),
  );
}
