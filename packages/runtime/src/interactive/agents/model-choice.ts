import { areOfDifferentServices, expandModel } from "../../context/model-names.ts";
import { CLAUDE_MODELS } from "../../context/models.ts";
import type { Provider } from "../../providers/provider.ts";
import { withModel } from "../../providers/with-model.ts";

/** The provider with the model that an agent wants. Where another service has that model, its own stays. */
export function withWantedModel(provider: Provider, wanted: string | undefined): Provider {
  const model = wanted === undefined ? undefined : availableModel(provider, wanted);
  return model === undefined ? provider : withModel(provider, model);
}

/** The id of a wanted model; `undefined` where it is known to be of another service than the provider's. */
export function availableModel({ model: own }: Provider, wanted: string): string | undefined {
  const model = expandModel(wanted);
  const isClaude = (id: string): boolean =>
    id.includes("claude") || Object.hasOwn(CLAUDE_MODELS, id);
  const isElsewhere = (isClaude(model) && !isClaude(own)) || areOfDifferentServices(own, model);
  return isElsewhere ? undefined : model;
}
