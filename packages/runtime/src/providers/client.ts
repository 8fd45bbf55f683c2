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

/** The error for an SDK that fails to start; in a web page it refuses to without explicit consent. */
export function sdkFailure(sdk: string, packageName: string, cause: unknown): ConfigurationError {
  const isRefusal = cause instanceof Error && cause.message.includes("dangerouslyAllowBrowser");
  return isRefusal
    ? new ConfigurationError(
        `The ${sdk} SDK sends no key from a web page without \`dangerouslyAllowBrowser: true\``,
        {
          cause,
          hint: "Set it only if everyone who opens the page may see the key; otherwise send requests through a server that holds the key, by `baseURL`.",
        },
      )
    : new ConfigurationError(`The ${sdk} SDK could not be started`, {
        cause,
        hint: `Check that ${packageName} is installed.`,
      });
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
