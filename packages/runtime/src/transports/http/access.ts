import type { MiddlewareHandler } from "hono";
import { ConfigurationError } from "../../errors.ts";
import { isAnonymousOwner } from "./anonymous.ts";
import type { Owner } from "./authenticate.ts";
import { checkTokens, type TokenTable } from "./principal/tokens.ts";
import { HttpProblem } from "./problem.ts";

/** Callers and origins that may use a server. */
export interface AccessOptions {
  /**
   * Owners (letters, digits, `_`, `-`; at most 64) and their bearer tokens. A text is a token for everything; one with
   * `scopes` does only that, and one with `expiresAt` is good until then. A function is asked with every request, so that
   * tokens can be revoked and added; it answers with a new table where something has changed.
   */
  tokens?: TokenTable | (() => TokenTable | Promise<TokenTable>) | undefined;
  /**
   * Admits anonymous callers, each as an owner of their own whose name begins with this one and `-`. Creating a session
   * without a token answers with one, the only access to that session. For an offline provider on purpose: its cost and
   * its reach are then open to everybody who finds the address. At most 31 letters, digits, `_` or `-`.
   */
  anonymousOwner?: Owner | undefined;
  /** Web origins that may call, such as `https://app.example`, beside the server's own. No wildcard. */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * `Host` headers that are answered, such as `localhost:8787`, or `localhost` for any port; all when omitted. Stops DNS
   * rebinding to local servers.
   */
  allowedHosts?: readonly string[] | undefined;
}

/** An id of a session, or the name of an owner. */
export const ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Keeps an owner's name with its digest within the limit for names. */
const MAX_ANONYMOUS_PREFIX = 31;
/** Tables that were found to be good. */
const checked = new WeakSet<TokenTable>();

/**
 * The table of tokens that counts now.
 * @throws {ConfigurationError} for one that is not valid: nobody gets in by mistake
 */
export async function currentTokens({
  tokens = {},
  anonymousOwner,
}: AccessOptions): Promise<TokenTable> {
  if (typeof tokens !== "function") return tokens;
  const table = await tokens();
  if (!checked.has(table)) checkTable(table, anonymousOwner);
  checked.add(table);
  return table;
}

/** @throws {ConfigurationError} */
export function checkAccess({
  tokens = {},
  anonymousOwner,
  allowedOrigins = [],
}: AccessOptions): void {
  if (allowedOrigins.includes("*")) {
    throw new ConfigurationError("`*` is not an origin", {
      hint: "Name each origin that may call.",
    });
  }
  checkTable(typeof tokens === "function" ? undefined : tokens, anonymousOwner);
}

/** @throws {ConfigurationError} `table`: absent while it is not known yet */
function checkTable(table: TokenTable | undefined, anonymousOwner: Owner | undefined): void {
  const names = Object.keys(table ?? {});
  const owners = [...names, ...(anonymousOwner === undefined ? [] : [anonymousOwner])];
  if (table && owners.length === 0) {
    throw new ConfigurationError("This server has no token, so nobody could use it", {
      hint: "Give it `tokens`, or open it to everybody on purpose with `anonymousOwner`.",
    });
  }
  const badOwner = owners.find((owner) => !ID.test(owner));
  if (badOwner !== undefined) {
    throw new ConfigurationError(`"${badOwner}" is not a valid owner`, {
      hint: "Use 1 to 64 letters, digits, _ or -.",
    });
  }
  checkAnonymousOwner(anonymousOwner, names);
  checkTokens(table ?? {});
}

function checkAnonymousOwner(prefix: Owner | undefined, known: readonly Owner[]): void {
  if (prefix === undefined) return;
  if (prefix.length > MAX_ANONYMOUS_PREFIX) {
    throw new ConfigurationError("The name of `anonymousOwner` is too long", {
      hint: `Use at most ${MAX_ANONYMOUS_PREFIX} characters.`,
    });
  }
  const taken = known.find((owner) => isAnonymousOwner(prefix, owner));
  if (taken !== undefined) {
    throw new ConfigurationError(`"${taken}" is reserved for callers without a token`, {
      hint: "Give the owner of a token another name.",
    });
  }
}

/**
 * Rejects browsers sent here by a foreign page: with an `Origin` that is not allowed, which also covers requests that
 * need no preflight, or with a `Host` that is not this server's.
 */
export function checkSource(options: AccessOptions): MiddlewareHandler {
  const { allowedOrigins = [], allowedHosts } = options;
  return async (context, next) => {
    const { host, hostname } = new URL(context.req.url);
    if (allowedHosts && !allowedHosts.includes(host) && !allowedHosts.includes(hostname)) {
      throw new HttpProblem(421, "HOST_NOT_ALLOWED", `This server does not answer for ${host}.`, {
        hint: "Its operator can add the host to `allowedHosts`.",
      });
    }
    const origin = context.req.header("origin");
    const isOwn = origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
    if (origin !== undefined && !isOwn && !allowedOrigins.includes(origin)) {
      throw new HttpProblem(
        403,
        "ORIGIN_NOT_ALLOWED",
        `Pages of ${origin} may not call this server.`,
        { hint: "Its operator can add the origin to `allowedOrigins`." },
      );
    }
    await next();
  };
}
