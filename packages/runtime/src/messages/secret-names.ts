/** Replacement for a secret. */
export const REDACTED = "[REDACTED]";

/** Suffixes of names under which secrets are kept, without case, `-` and `_`. Does not match `inputTokens`. */
const SECRET_NAME =
  /(?:apikey|secretkey|accesskey|privatekey|signingkey|secret|token|passw(?:or)?d|passphrase|authorization|cookies?|credentials?)$/i;

/** Reports whether a field holds a secret, by its name; numbers and booleans never do. */
export function isSecret(name: string, value: unknown): boolean {
  if (value === null || value === undefined || value === "" || typeof value === "boolean")
    return false;
  return SECRET_NAME.test(/[-_]/.test(name) ? name.replaceAll(/[-_]/g, "") : name);
}
