import { defined } from "../../../defined.ts";
import type { Owner } from "./owner.ts";
import { HttpProblem } from "../problem.ts";
import { includesScope, isScope, type Scope } from "./scopes.ts";

/** The identity behind a request, and what it may do. */
export interface Principal {
  /** The owner of its sessions. */
  readonly owner: Owner;
  readonly scopes: readonly Scope[];
  /** Fingerprint of the token behind it, also behind a ticket; none for anonymous callers. It leaves no server. */
  readonly credential?: string | undefined;
  /** The ticket it came with in place of a token; to be redeemed once, where its session runs. */
  readonly ticket?: TicketUse | undefined;
}

/** A ticket, as far as refusing it a second time needs. */
export interface TicketUse {
  readonly id: string;
  /** Milliseconds since the epoch, after which it is refused anyway. */
  readonly expiresAt: number;
}

/** Carries the principal from a server's front to where the session runs. */
const HEADER = "x-robota-principal";

/**
 * The request as it is passed on to where its session runs: with its principal instead of the caller's credentials, and
 * whatever the caller sent under the principal's header replaced.
 */
export function withPrincipal(request: Request, principal: Principal): Request {
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  headers.set(HEADER, JSON.stringify(principal));
  const url = new URL(request.url);
  if (!url.searchParams.has("ticket")) return new Request(request, { headers });
  url.searchParams.delete("ticket");
  return new Request(new Request(url, request), { headers });
}

/**
 * The principal of a request that a front has passed on. Only for servers that nobody but the front reaches.
 * @throws {HttpProblem} 403 without one
 */
export function principalOf(headers: Headers): Principal {
  const principal = parse(headers.get(HEADER));
  if (principal) return principal;
  throw new HttpProblem(403, "NO_PRINCIPAL", "The request came without its principal.", {
    hint: "Pass requests on with `withPrincipal`, as `httpTransport` does.",
  });
}

/** @throws {HttpProblem} 403 that names the scope */
export function requireScope({ scopes }: Principal, needed: Scope, purpose = "This"): void {
  if (includesScope(scopes, needed)) return;
  throw new HttpProblem(
    403,
    "INSUFFICIENT_SCOPE",
    `${purpose} needs the scope ${needed}, which your token does not have.`,
    {
      hint: `Its scopes: ${scopes.join(", ") || "none"}. Use a token with ${needed}; the server's operator makes them.`,
      headers: {
        "www-authenticate": `Bearer realm="robota", error="insufficient_scope", scope="${needed}"`,
      },
    },
  );
}

function parse(text: string | null): Principal | undefined {
  if (text === null) return undefined;
  try {
    const { owner, scopes, credential, ticket }: Partial<Principal> = JSON.parse(text);
    if (typeof owner !== "string" || !Array.isArray(scopes)) return undefined;
    return defined({
      owner,
      scopes: scopes.filter(isScope),
      credential,
      ticket: ticket || undefined,
    });
  } catch {
    return undefined;
  }
}
