import type { CommandScope } from "../../../interactive/commands/command.ts";

/** The scopes of a token, from the least to the most. */
export const SCOPES = ["read", "prompt", "approve", "admin"] as const;

/**
 * A scope of a token: `read` reads sessions, `prompt` gives them work, `approve` answers their requests for
 * permission, `admin` changes what the agent may do and removes sessions. `prompt` and `approve` include `read`;
 * `admin` includes all.
 */
export type Scope = (typeof SCOPES)[number];

const INCLUDED: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ["read"],
  prompt: ["read", "prompt"],
  approve: ["read", "approve"],
  admin: SCOPES,
};

/** Reports whether a word of a configuration is a scope. */
export function isScope(word: unknown): word is Scope {
  return SCOPES.some((scope) => scope === word);
}

/** Reports whether some of these scopes includes the needed one. */
export function includesScope(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => INCLUDED[scope].includes(needed));
}

/** Those of `wanted` that `held` includes. */
export function sharedScopes(held: readonly Scope[], wanted: readonly Scope[]): Scope[] {
  return SCOPES.filter((scope) => wanted.includes(scope) && includesScope(held, scope));
}

/** The scope of a token that running a command of that scope needs. */
export const SCOPE_OF_COMMAND: Readonly<Record<CommandScope, Scope>> = {
  read: "read",
  write: "prompt",
  privilege: "admin",
};
