import { ConfigurationError } from "@robota/runtime";
import { isAnonymousOwner, type Token, type TokenTable } from "@robota/runtime/transports";
import { ANONYMOUS } from "./anonymous.ts";

/** The part of the environment with the callers. */
interface Configured {
  API_TOKEN?: string;
  API_TOKENS?: string;
}

/**
 * The worker's callers.
 * @throws {ConfigurationError}
 */
export function tokensOf({ API_TOKEN, API_TOKENS }: Configured): TokenTable {
  const tokens: Record<string, Token | readonly Token[]> = API_TOKENS
    ? parseTokens(API_TOKENS)
    : {};
  if (API_TOKEN) tokens["owner"] = API_TOKEN;
  const taken = Object.keys(tokens).find((owner) => isAnonymousOwner(ANONYMOUS, owner));
  if (taken !== undefined) {
    throw new ConfigurationError(`API_TOKENS has an owner "${taken}"`, {
      hint: "That name is reserved for anonymous callers; use another one.",
    });
  }
  return tokens;
}

/** A JSON object; what is in it, the transport checks. */
function parseTokens(text: string): TokenTable {
  const hint = 'Write it like {"ann":"<token>","bob":{"token":"<token>","scopes":["read"]}}.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError("API_TOKENS is not valid JSON", { hint, cause });
  }
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isTable) throw new ConfigurationError("API_TOKENS is not a JSON object of tokens", { hint });
  return { ...(value as TokenTable) };
}
