import type { Provider } from "@robota/runtime";
import type { ModelDefinition } from "@robota/runtime/providers";
import { connectedProvider } from "./connected-provider.ts";
import type { Connection } from "./connection.ts";
import { chosenConnection, connectionOf, savedConnections } from "./connections.ts";
import { keyRing } from "./keys/key-ring.ts";
import { readSessionSettings } from "./session-settings.ts";

/** Windows of models that no catalog knows. Sessions hold the list itself, so what is learnt later counts for them too. */
const learntModels: ModelDefinition[] = [];

export function learnWindow({ model, contextWindow }: Connection): void {
  if (contextWindow === undefined) return;
  const others = learntModels.filter(({ id }) => id !== model);
  const learnt = { id: model, name: model, contextWindow, maxOutput: contextWindow };
  learntModels.splice(0, learntModels.length, ...others, learnt);
}

/** Options for a session of this page's connections. */
export interface SessionProviders {
  provider: Provider;
  /** The others, which a session finds by the names in its log. */
  providers: readonly Provider[];
  models: readonly ModelDefinition[];
}

/** @param recorded the id, the provider and the model of a stored session */
export function sessionProviders(recorded?: RecordedModel): SessionProviders {
  void keyRing.look();
  for (const each of savedConnections()) learnWindow(each);
  const own = recorded && connectionOf(recorded.provider, recorded.model);
  const settings = readSessionSettings(recorded?.id);
  return {
    provider: connectedProvider(own ?? chosenConnection(), settings),
    providers: savedConnections().map((each) => connectedProvider(each, settings)),
    models: learntModels,
  };
}

/** The last model of a stored session. */
export interface RecordedModel {
  id: string;
  provider: string;
  model: string;
}
