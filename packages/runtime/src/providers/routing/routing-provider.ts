import { ConfigurationError } from "../../errors.ts";
import type { Content, Message } from "../../messages/message.ts";
import { derivedProvider } from "../derived.ts";
import { type ChatOptions, generate, type Provider } from "../provider.ts";

/** Facts that a rule may use. */
export interface RoutedCall {
  /** Tokens of the conversation without tools, at four characters each; a rough number. */
  estimatedTokens: number;
  hasImages: boolean;
  hasFiles: boolean;
  messages: readonly Message[];
  options: ChatOptions;
}

/** A provider, and the calls that it takes. */
export interface Route {
  provider: Provider;
  /** Without it the route takes every call that reaches it. */
  when?: (call: RoutedCall) => boolean;
}

/** Callbacks of a routing provider. */
export interface RoutingRules {
  /** Called before a provider is asked. */
  onRoute?(route: { to: string; model: string }): void;
}

const CHARACTERS_PER_TOKEN = 4;
/** The approximate count of the common services. */
const TOKENS_PER_IMAGE = 1_500;

/**
 * A provider that chooses one of several for each call: the first route whose rule matches. The message names the
 * answering one. Routes are not tried in turn; for that, make a `fallbackProvider` a route.
 * @throws {ConfigurationError} without a route; a call throws it when no route matches
 */
export function routingProvider(routes: readonly Route[], rules: RoutingRules = {}): Provider {
  const last = routes.at(-1);
  if (!last) {
    throw new ConfigurationError("There is no route", { hint: "Give at least one." });
  }
  const measure = measurer();
  return derivedProvider({
    name: "routing",
    // The catch-all route is the representative one.
    model: () => last.provider.model,
    members: routes.map(({ provider }) => provider),
    async generate(messages, options, onEvent) {
      const call = { ...measure(messages), messages, options };
      const route = routes.find(({ when }) => !when || when(call));
      if (!route) {
        throw new ConfigurationError("No route takes this call", {
          hint: "Let the last route have no rule.",
        });
      }
      const { provider } = route;
      rules.onRoute?.({ to: provider.name, model: options.model ?? provider.model });
      return generate(provider, messages, options, onEvent);
    },
  });
}

type Measure = Pick<RoutedCall, "estimatedTokens" | "hasImages" | "hasFiles">;

/** Measures each message once, as long as it is the same object. */
function measurer(): (messages: readonly Message[]) => Measure {
  const known = new WeakMap<Message, Measure>();
  return (messages) => {
    const total: Measure = { estimatedTokens: 0, hasImages: false, hasFiles: false };
    for (const message of messages) {
      const one = known.get(message) ?? measured(message);
      known.set(message, one);
      total.estimatedTokens += one.estimatedTokens;
      total.hasImages ||= one.hasImages;
      total.hasFiles ||= one.hasFiles;
    }
    return total;
  };
}

function measured(message: Message): Measure {
  const { characters, images, files } = sizeOf(message.content);
  const calls =
    message.role === "assistant" && message.toolCalls
      ? JSON.stringify(message.toolCalls).length
      : 0;
  const text = Math.ceil((characters + calls) / CHARACTERS_PER_TOKEN);
  return {
    estimatedTokens: text + images * TOKENS_PER_IMAGE,
    hasImages: images > 0,
    hasFiles: files > 0,
  };
}

function sizeOf(content: Content): { characters: number; images: number; files: number } {
  const size = { characters: 0, images: 0, files: 0 };
  if (typeof content === "string") return { ...size, characters: content.length };
  for (const part of content) {
    if (part.type === "text" || part.type === "thinking") size.characters += part.text.length;
    else if (part.type === "image") size.images += 1;
    else if (part.type === "file") {
      size.files += 1;
      size.characters += part.data.length;
    }
  }
  return size;
}
