import { ConfigurationError } from "../../../errors.ts";
import type { Owner } from "./owner.ts";
import { isScope, type Scope, SCOPES } from "./scopes.ts";

/** A token for everything, or one for these scopes only, and until `expiresAt` (ISO 8601) if it has one. */
export type Token =
  | string
  | {
      readonly token: string;
      readonly scopes: readonly Scope[];
      readonly expiresAt?: string | undefined;
    };

/** Owners and their bearer tokens; an owner may have several with different scopes. */
export type TokenTable = Readonly<Record<Owner, Token | readonly Token[]>>;

/** One line of a table of tokens. */
export interface Grant {
  owner: Owner;
  token: string;
  scopes: readonly Scope[];
  expiresAt?: string | undefined;
}

/** All tokens of a table. A text alone stands for a token with every scope. */
export function grantsOf(table: TokenTable): Grant[] {
  return Object.entries(table).flatMap(([owner, tokens]) =>
    listOf(tokens).map((token) =>
      typeof token === "string" ? { owner, token, scopes: SCOPES } : { owner, ...token },
    ),
  );
}

/**
 * Checks a table that a configuration brought, down to the words in it: nobody gets a scope by a spelling mistake.
 * @throws {ConfigurationError}
 */
export function checkTokens(table: TokenTable): void {
  for (const [owner, tokens] of Object.entries(table)) {
    for (const token of listOf(tokens)) checkToken(owner, token);
  }
  const grants = grantsOf(table);
  if (new Set(grants.map(({ token }) => token)).size < grants.length) {
    throw new ConfigurationError("Two entries have the same token", {
      hint: "Give every entry a token of its own.",
    });
  }
}

const FIELDS: ReadonlySet<string> = new Set(["token", "scopes", "expiresAt"]);
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

function isTime(value: unknown): boolean {
  return typeof value === "string" && TIME.test(value) && !Number.isNaN(Date.parse(value));
}

function checkToken(owner: Owner, value: unknown): void {
  if (typeof value === "string" && value !== "") return;
  if (value === "") throw emptyToken();
  const fields: object = typeof value === "object" && value !== null ? value : {};
  const unknown = Object.keys(fields).find((name) => !FIELDS.has(name));
  const token: unknown = Reflect.get(fields, "token");
  const scopes: unknown = Reflect.get(fields, "scopes");
  if (token === "") throw emptyToken();
  if (typeof token !== "string" || !Array.isArray(scopes) || unknown !== undefined) {
    throw new ConfigurationError(`A token of "${owner}" is not of a known form`, {
      hint: 'Write a text, or {"token": "<token>", "scopes": ["read"]}.',
    });
  }
  const expiresAt: unknown = Reflect.get(fields, "expiresAt");
  if (expiresAt !== undefined && !isTime(expiresAt)) {
    throw new ConfigurationError(`A token of "${owner}" expires at no known time`, {
      hint: 'Write it in ISO 8601, like "2027-01-31T12:00:00Z".',
    });
  }
  const other: unknown = scopes.find((scope) => !isScope(scope));
  if (other !== undefined || scopes.length === 0) {
    const wrong = scopes.length === 0 ? "no scope" : `the unknown scope ${JSON.stringify(other)}`;
    throw new ConfigurationError(`A token of "${owner}" has ${wrong}`, {
      hint: `Use ${SCOPES.join(", ")}.`,
    });
  }
}

function listOf(tokens: Token | readonly Token[]): readonly Token[] {
  return isList(tokens) ? tokens : [tokens];
}

function isList(tokens: Token | readonly Token[]): tokens is readonly Token[] {
  return Array.isArray(tokens);
}

function emptyToken(): ConfigurationError {
  return new ConfigurationError("A token is empty", {
    hint: "Make one with `openssl rand -hex 32`.",
  });
}
