import { ConfigurationError, type Platform, type Provider } from "@robota/runtime";
import { readSessionHeader } from "@robota/runtime/sessions";
import type { ProviderSettings } from "@robota/runtime/settings";
import { chooseProvider, PROVIDER_NAMES, type ProviderChoice } from "./provider.ts";

/** The provider and the model that a person asked for. */
export type AskedProvider = Parameters<typeof chooseProvider>[0];

/**
 * The provider of a session that is resumed: the asked one, or else the one that it had last, with that model. A
 * conversation goes to no other service unasked.
 * @throws {ConfigurationError} When that provider has no key any more, or as `chooseProvider`
 */
export async function resumedProvider(
  sessionId: string | undefined,
  asked: AskedProvider,
  settings: ProviderSettings,
  platform: Platform,
): Promise<ProviderChoice> {
  const isAsked = (asked.model ?? asked.provider) !== undefined;
  const last = isAsked ? undefined : await lastChoice(sessionId, platform);
  if (!last) return chooseProvider(asked, settings, platform);
  const { name, model } = last;
  if (name === "offline") return offline(settings, platform);
  try {
    return await chooseProvider({ provider: name, model }, settings, platform);
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause;
    throw new ConfigurationError(
      `This session last used ${model}, which can't be used now: ${cause.message}`,
      { hint: `${cause.hint} Or choose another model with --model or --provider.`, cause },
    );
  }
}

/** The provider that a stored session had last, with its model; `undefined` when there is none or no key for it. */
export async function storedProvider(
  sessionId: string,
  settings: ProviderSettings,
  platform: Platform,
): Promise<Provider | undefined> {
  const last = await lastChoice(sessionId, platform);
  if (!last) return undefined;
  try {
    const asked = { provider: last.name, model: last.model };
    return (await chooseProvider(asked, settings, platform)).provider;
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** The provider and the model on a session's record, when this program can have them. */
async function lastChoice(sessionId: string | undefined, { storage }: Platform) {
  if (sessionId === undefined) return undefined;
  const header = await readSessionHeader(storage, sessionId);
  const name = PROVIDER_NAMES.find((known) => known === header?.provider);
  return header && name && { name, model: header.model };
}

/** The script that answered before, also where a key is there by now. */
async function offline(settings: ProviderSettings, platform: Platform): Promise<ProviderChoice> {
  const usual = await chooseProvider({}, settings, platform);
  if (usual.provider.name === "offline") return usual;
  const note =
    "A script answers, as it did before in this session: choose a model with --model or --provider.";
  return { ...(await chooseProvider({ provider: "offline" }, settings, platform)), note };
}
