import { defined } from "../defined.ts";
import type { AssistantMessage } from "../messages/message.ts";
import { chat, type ChatOptions, type NativeWebTools, type Provider } from "./provider.ts";
import { streamEvents } from "./stream.ts";

export interface Derived {
  name: string;
  model: () => string;
  /** The underlying providers. */
  members: readonly Provider[];
  generate: (...call: Parameters<NonNullable<Provider["generate"]>>) => Promise<AssistantMessage>;
}

/** A provider that delegates calls to others: everything follows from `generate`. */
export function derivedProvider({ name, model, members, generate }: Derived): Provider {
  const provider: Provider = {
    name,
    get model() {
      return model();
    },
    chat: (messages, options) => chat(provider, messages, options),
    chatStream: (messages, options) => streamEvents(generate, messages, options),
    generate,
    // Each member picks the options it understands.
    configureNativeWebTools: (config): NativeWebTools => {
      const handles = members.flatMap((member) => member.configureNativeWebTools?.(config) ?? []);
      const chatOptions: Partial<ChatOptions> = {};
      for (const handle of handles) Object.assign(chatOptions, defined(handle.chatOptions));
      return { webSearch: handles.some(({ webSearch }) => webSearch), chatOptions };
    },
  };
  return provider;
}
