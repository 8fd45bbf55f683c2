import { ConfigurationError } from "../errors.ts";

/** Headers that the SDKs add about themselves and the machine. Browsers would have to ask the service to admit each. */
const SDK_HEADERS = [
  "user-agent",
  "x-stainless-arch",
  "x-stainless-helper-method",
  "x-stainless-lang",
  "x-stainless-os",
  "x-stainless-package-version",
  "x-stainless-retry-count",
  "x-stainless-runtime",
  "x-stainless-runtime-version",
  "x-stainless-timeout",
];

/** Removes them: null means "leave out" to the SDKs. */
export function sdkHeaders(): Record<string, null> {
  return Object.fromEntries(SDK_HEADERS.map((name) => [name, null]));
}

/** What of a configuration must never be in an error text. */
export function secretsOf(
  apiKey: string | undefined,
  headers: Record<string, string> = {},
): string[] {
  const secrets = Object.entries(headers)
    .filter(([name]) => /auth|cookie|key|secret|token/i.test(name))
    .map(([, value]) => value);
  return apiKey?.trim() ? [apiKey.trim(), ...secrets] : secrets;
}

/** Why a key can't be one, or nothing. */
export function keyProblem(apiKey: string): string | undefined {
  const key = apiKey.trim();
  if (key === "") return "There is no API key";
  return /^[\x21-\x7e]+$/.test(key) ? undefined : "The API key has characters that no key has";
}

/** The address without a slash at its end. */
export function baseUrl(url: string): string {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new ConfigurationError(`"${url}" is no base URL`, {
      hint: "Give an address that begins with https:// or http://, such as http://localhost:11434/v1.",
    });
  }
  return url.replace(/\/+$/, "");
}
