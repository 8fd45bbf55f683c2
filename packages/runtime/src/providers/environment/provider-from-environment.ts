import { ConfigurationError } from "../../errors.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Provider } from "../provider.ts";
import { type Candidate, CANDIDATES } from "./candidates.ts";

export interface EnvironmentChoice {
  provider: Provider;
  /** The environment variable that decided; none when nothing was found. */
  variable?: string;
  /** One sentence for a person: who answers, and why. It has no key in it. */
  note: string;
}

export interface FromEnvironmentOptions {
  /** Instead of the one that the environment names for the service. */
  model?: string;
  /** Needed in web pages, where everything that runs in the page can use the key. */
  dangerouslyAllowBrowser?: boolean;
}

/**
 * The provider whose key is in the platform's environment (Anthropic, OpenAI or a server of its kind, OpenRouter, Gemini,
 * Ark, in this order), and without any key the offline one. Loads only the one it picks; it calls no service.
 * @throws {ConfigurationError} when a model must be named for that service and is not
 */
export async function providerFromEnvironment(
  platform: Pick<Platform, "env" | "fetch" | "now" | "randomUUID">,
  options: FromEnvironmentOptions = {},
): Promise<EnvironmentChoice> {
  const env = (name: string): string | undefined => platform.env(name)?.trim() || undefined;
  for (const candidate of CANDIDATES) {
    const key = candidate.keys.find((name) => env(name));
    const baseURL = env(candidate.address);
    const variable =
      key ?? (candidate.isServerOfOnesOwn && baseURL ? candidate.address : undefined);
    if (!variable) continue;
    const model = modelOf(candidate, options.model ?? env(candidate.model), baseURL, variable);
    const provider = await candidate.make({
      apiKey: key && env(key),
      baseURL,
      model,
      fetch: platform.fetch,
      dangerouslyAllowBrowser: options.dangerouslyAllowBrowser ?? false,
    });
    const where = baseURL && URL.canParse(baseURL) ? new URL(baseURL).host : candidate.title;
    return {
      provider,
      variable,
      note: `${where} answers with ${model}, because ${variable} is set.`,
    };
  }
  const { OfflineProvider } = await import("../offline/index.ts");
  const keys = CANDIDATES.flatMap((candidate) => candidate.keys);
  return {
    provider: new OfflineProvider({ now: platform.now, randomUUID: platform.randomUUID }),
    note: `No key was found, so a script answers and no model: "help" lists what it can do. Set one of ${keys.join(", ")} for a model.`,
  };
}

function modelOf(
  { isServerOfOnesOwn, model, defaultModel }: Candidate,
  named: string | undefined,
  baseURL: string | undefined,
  variable: string,
): string {
  const chosen = named ?? (isServerOfOnesOwn && baseURL ? undefined : defaultModel);
  if (chosen) return chosen;
  throw new ConfigurationError(`${variable} is set, but no model is named`, {
    hint: `Set ${model} to a model that this server has.`,
  });
}
