import { CLAUDE_MODELS } from "../../context/models.ts";
import { chat, type Provider } from "../../providers/provider.ts";

/** The newest model of each family in the catalog. */
const SHORTCUTS: Readonly<Record<string, string>> = {
  opus: "claude-opus-5",
  sonnet: "claude-sonnet-5",
  haiku: "claude-haiku-4-5",
};

/** Expands a short model name; any other name is unchanged. */
function expandModel(name: string): string {
  return Object.hasOwn(SHORTCUTS, name) ? (SHORTCUTS[name] ?? name) : name;
}

/**
 * The provider with another of its models. A Claude model requested of another service is not available there: its own
 * model stays.
 */
export function withModel(provider: Provider, wanted: string | undefined): Provider {
  if (wanted === undefined) return provider;
  const model = expandModel(wanted);
  const isClaude = (id: string): boolean =>
    id.includes("claude") || Object.hasOwn(CLAUDE_MODELS, id);
  if (model === provider.model || (isClaude(model) && !isClaude(provider.model))) return provider;
  const own: Provider = {
    name: provider.name,
    model,
    chat: (messages, options) => chat(own, messages, options),
    chatStream: (messages, options) => provider.chatStream(messages, { ...options, model }),
  };
  return own;
}
