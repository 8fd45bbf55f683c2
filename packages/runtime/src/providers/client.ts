import { ConfigurationError } from "../errors.ts";

/** The secrets of a configuration, for redaction in error texts. */
export function secretsOf(
  apiKey: string | undefined,
  headers: Record<string, string> = {},
): string[] {
  const secrets = Object.entries(headers)
    .filter(([name]) => /auth|cookie|key|secret|token/i.test(name))
    .map(([, value]) => value);
  return apiKey?.trim() ? [apiKey.trim(), ...secrets] : secrets;
}

/** Returns why a key is invalid, if it is. Plain JavaScript and unset variables bypass the types. */
export function keyProblem(apiKey: unknown): string | undefined {
  const key = typeof apiKey === "string" ? apiKey.trim() : "";
  if (key === "") return "There is no API key";
  return /^[\x21-\x7e]+$/.test(key) ? undefined : "The API key has characters that no key has";
}

/**
 * The model that a provider was given: plain JavaScript may leave it out, or all options.
 * @throws {ConfigurationError} without one
 */
export function requiredModel(
  options: { model?: string } | undefined,
  provider: string,
  example: string,
): string {
  const model: unknown = options?.model;
  if (typeof model === "string" && model.trim() !== "") return model;
  throw new ConfigurationError(`${provider} needs a model`, {
    hint: `Pass its id as \`model\`, such as { apiKey, model: "${example}" }.`,
  });
}

/** The used globals of pages and their workers; Node has none of them, edge workers only a navigator. */
interface PageGlobals {
  location?: { origin?: string };
  navigator?: object;
}

/**
 * Whatever runs in a page can use the page's key, and everyone who opens it can read it.
 * @throws {ConfigurationError} in a page and its workers without explicit consent
 */
export function requireConsent(provider: string, hasConsent: boolean): void {
  const { location, navigator } = globalThis as PageGlobals;
  if (hasConsent || !location?.origin || !navigator) return;
  throw new ConfigurationError(
    `${provider} sends no key from a web page without \`dangerouslyAllowBrowser: true\``,
    {
      hint: "Set it only if everyone who opens the page may see the key; otherwise send requests through a server that holds the key, by `baseURL`.",
    },
  );
}

/** The address without a slash at its end. */
export function baseUrl(url: string): string {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new ConfigurationError(`"${url}" is not a base URL`, {
      hint: "Give an address that begins with https:// or http://, such as http://localhost:11434/v1.",
    });
  }
  return url.replace(/\/+$/, "");
}
