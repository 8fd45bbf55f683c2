import { ConfigurationError } from "../../errors.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Provider } from "../provider.ts";
import {
  type Candidate,
  CANDIDATES,
  type EnvironmentProvider,
  type EnvironmentProviderName,
} from "./candidates.ts";

/** The services that `providerFromEnvironment` knows, in the order of the search for keys. */
export const environmentProviders: readonly EnvironmentProvider[] = CANDIDATES.map(
  ({ name, title, keys, address, model }) => ({ name, title, keys, address, model }),
);

/** The provider that was picked, and why. */
export interface EnvironmentChoice {
  provider: Provider;
  /** The environment variable that decided; none when nothing was found. */
  variable?: string | undefined;
  /** One sentence for a person: the chosen service and the reason. Without keys. */
  note: string;
}

export interface FromEnvironmentOptions {
  /** The required service; by default chosen by the available keys. */
  name?: EnvironmentProviderName | undefined;
  /** Key to use instead of those of the environment; only with `name`. */
  apiKey?: string | undefined;
  baseURL?: string | undefined;
  /** Overrides the environment's model for the service. */
  model?: string | undefined;
  /** Needed in web pages, where everything that runs in the page can use the key. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/**
 * The provider whose key is in the platform's environment (Anthropic, OpenAI or a server of its kind, OpenRouter, Gemini,
 * Ark, in this order; then servers of one's own whose address is there), and without any key the offline one. Loads only the one it picks; it calls no service.
 * @throws {ConfigurationError} without a model for a service that needs one, or without a key for the service given by `name`
 */
export async function providerFromEnvironment(
  platform: Pick<Platform, "env" | "fetch" | "now" | "randomUUID">,
  options: FromEnvironmentOptions = {},
): Promise<EnvironmentChoice> {
  const env: Environment = (variable) => platform.env(variable)?.trim() || undefined;
  const { name } = options;
  for (const candidate of CANDIDATES) {
    if (name !== undefined && candidate.name !== name) continue;
    const access = accessTo(candidate, env, name === undefined ? undefined : options);
    if (access) return choose(candidate, access, options, { env, fetch: platform.fetch });
    if (name !== undefined) throw withoutKey(candidate);
  }
  const { OfflineProvider } = await import("../offline/index.ts");
  const keys = CANDIDATES.flatMap((candidate) => candidate.keys);
  return {
    provider: new OfflineProvider({ now: platform.now, randomUUID: platform.randomUUID }),
    note: `No key was found, so a script answers instead of a model: "help" lists what it can do. Set one of ${keys.join(", ")} for a model.`,
  };
}

/** Trimmed variables; an empty one counts as unset. */
type Environment = (variable: string) => string | undefined;

/** Access data of a service. */
interface Access {
  apiKey: string | undefined;
  baseURL: string | undefined;
  /** The variable that decided. */
  variable: string | undefined;
}

function accessTo(
  { keys, address, isServerOfOnesOwn }: Candidate,
  env: Environment,
  named: Pick<FromEnvironmentOptions, "apiKey" | "baseURL"> | undefined,
): Access | undefined {
  const given = named ?? {};
  const baseURL = given.baseURL ?? env(address);
  // A server on this machine is where it usually is.
  if (named && keys.length === 0) return { apiKey: given.apiKey, baseURL, variable: undefined };
  if (given.apiKey) return { apiKey: given.apiKey, baseURL, variable: undefined };
  const variable = keys.find((key) => env(key));
  if (variable) return { apiKey: env(variable), baseURL, variable };
  if (!isServerOfOnesOwn || !baseURL) return undefined;
  return { apiKey: undefined, baseURL, variable: given.baseURL ? undefined : address };
}

async function choose(
  candidate: Candidate,
  { apiKey, baseURL, variable }: Access,
  options: FromEnvironmentOptions,
  { env, fetch }: { env: Environment; fetch: Platform["fetch"] },
): Promise<EnvironmentChoice> {
  const named = options.model ?? env(candidate.model);
  const model = modelOf(candidate, named, baseURL, variable);
  const provider = await candidate.make({
    apiKey,
    // An empty one counts as unset.
    baseURL: baseURL || undefined,
    model,
    fetch,
    dangerouslyAllowBrowser: options.dangerouslyAllowBrowser ?? false,
  });
  const where = baseURL && URL.canParse(baseURL) ? new URL(baseURL).host : candidate.title;
  const reason = variable ? `, because ${variable} is set` : "";
  return {
    provider,
    variable,
    note: `${where} answers with ${model}${reason}.`,
  };
}

function withoutKey({ title, keys, address, isServerOfOnesOwn }: Candidate): ConfigurationError {
  const server = isServerOfOnesOwn ? `, or ${address} for a server that needs none` : "";
  return new ConfigurationError(`There is no key for ${title}`, {
    hint: `Set ${keys.join(" or ")}${server}.`,
  });
}

function modelOf(
  { title, isServerOfOnesOwn, model, defaultModel }: Candidate,
  named: string | undefined,
  baseURL: string | undefined,
  variable: string | undefined,
): string {
  const chosen = named ?? (isServerOfOnesOwn && baseURL ? undefined : defaultModel);
  if (chosen) return chosen;
  const problem = variable
    ? `${variable} is set, but no model is named`
    : `No model is named for ${title}`;
  throw new ConfigurationError(problem, {
    hint: `Set ${model} to a model that this server has.`,
  });
}
