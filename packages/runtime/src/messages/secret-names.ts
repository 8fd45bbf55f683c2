/** Stands in the place of a secret. */
export const REDACTED = "[REDACTED]";

/** Ends of names under which secrets are kept, without case, `-` and `_`. `inputTokens` is none of them. */
const SECRET_NAME =
  /(?:apikey|secretkey|accesskey|privatekey|signingkey|secret|token|passw(?:or)?d|passphrase|authorization|cookies?|credentials?)$/i;

/** Whether a field of this name holds a secret, by the name alone: numbers and switches are none. */
export function isSecret(name: string, value: unknown): boolean {
  if (value === null || value === undefined || value === "" || typeof value === "boolean")
    return false;
  return SECRET_NAME.test(/[-_]/.test(name) ? name.replaceAll(/[-_]/g, "") : name);
}
