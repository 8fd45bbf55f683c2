import { ConfigurationError, type Platform, type Provider } from "@robota/runtime";
import { expandModel } from "@robota/runtime/providers";
import { type ProviderSettings } from "@robota/runtime/settings";
import {
  type EnvironmentProviderName,
  environmentProviders,
  providerFromEnvironment,
} from "@robota/runtime/providers/environment";

export type ProviderName = EnvironmentProviderName | "offline";

export const PROVIDER_NAMES: readonly ProviderName[] = [
  ...environmentProviders.map(({ name }) => name),
  "offline",
];

export interface ProviderChoice {
  provider: Provider;
  /** A remark about the choice for a person. */
  note?: string;
}

/**
 * The requested provider, that of the settings, the first one with a key in the environment, or the offline one.
 * @throws {ConfigurationError} When the requested provider has no key, or the settings name none.
 */
export async function chooseProvider(
  asked: { provider?: ProviderName | undefined; model?: string | undefined },
  settings: ProviderSettings,
  platform: Platform,
): Promise<ProviderChoice> {
  const name = asked.provider ?? namedIn(settings);
  // Another provider has other models, keys and addresses.
  const isAnother = asked.provider !== undefined && asked.provider !== impliedName(settings);
  const own = isAnother ? {} : settings;
  const named = asked.model ?? own.model;
  const wanted = named === undefined ? undefined : expandModel(named);
  if (name === undefined) return fromEnvironment(platform, wanted);
  if (name === "offline") {
    const { OfflineProvider } = await import("@robota/runtime/providers/offline");
    return { provider: new OfflineProvider() };
  }
  const { provider } = await providerFromEnvironment(platform, {
    name,
    model: wanted,
    apiKey: given(own.apiKey),
    baseURL: own.baseURL,
  });
  return { provider };
}

/** A key or an address without a name is Anthropic's; a model alone says nothing. */
function impliedName({ name, apiKey, baseURL }: ProviderSettings): string | undefined {
  if (name !== undefined) return name;
  return apiKey === undefined && baseURL === undefined ? undefined : "anthropic";
}

function namedIn(settings: ProviderSettings): ProviderName | undefined {
  const name = impliedName(settings);
  const known = PROVIDER_NAMES.find((candidate) => candidate === name);
  if (known ?? name === undefined) return known;
  throw new ConfigurationError(`The settings name an unknown provider: ${name}`, {
    hint: `Set provider.name to one of ${PROVIDER_NAMES.join(", ")}.`,
  });
}

/** An unset variable stays as written, which is not a key. */
function given(apiKey: string | undefined): string | undefined {
  return apiKey?.includes("$ENV:") ? undefined : apiKey;
}

async function fromEnvironment(
  platform: Platform,
  model: string | undefined,
): Promise<ProviderChoice> {
  const options = model === undefined ? {} : { model };
  const { provider, variable, note } = await providerFromEnvironment(platform, options);
  // Using a key needs no remark.
  return variable === undefined ? { provider, note } : { provider };
}
