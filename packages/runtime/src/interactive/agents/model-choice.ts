import { expandModel } from "../../context/model-names.ts";
import { CLAUDE_MODELS } from "../../context/models.ts";
import type { Provider } from "../../providers/provider.ts";
import { withModel } from "../../providers/with-model.ts";

/**
 * The provider with the model that an agent wants. A Claude model requested of another service is not available there:
 * its own model stays.
 */
export function withWantedModel(provider: Provider, wanted: string | undefined): Provider {
  if (wanted === undefined) return provider;
  const model = expandModel(wanted);
  const isClaude = (id: string): boolean =>
    id.includes("claude") || Object.hasOwn(CLAUDE_MODELS, id);
  return isClaude(model) && !isClaude(provider.model) ? provider : withModel(provider, model);
}
