import { contentText, type Message, type Provider, type ProviderEvent } from "@robota/runtime";
import type { ScriptedProvider } from "@robota/runtime/testing";

/** Scripts for the models of a session and of its agents, which share one provider. */
export interface Cast {
  provider: Provider;
  /** Requests by sender: the system message, the model and the tools. */
  asked: { who: string; system: string; model: string | undefined; tools: string[] }[];
}

/** A provider that routes each request to the sender's script, recognised by a word in the system message. */
export function castOf(
  scripts: Record<string, ScriptedProvider>,
  model = "claude-sonnet-4-6",
): Cast {
  const asked: Cast["asked"] = [];
  const scriptFor = (messages: readonly Message[]): [string, ScriptedProvider, string] => {
    const system = contentText(messages.find(({ role }) => role === "system")?.content ?? "");
    const found = Object.entries(scripts).find(([word]) => system.includes(word));
    if (!found) throw new Error(`nobody is called by: ${system}`);
    return [...found, system];
  };
  const provider: Provider = {
    name: "cast",
    model,
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream(messages, options): AsyncIterable<ProviderEvent> {
      const [who, script, system] = scriptFor(messages);
      const tools = (options?.tools ?? []).map(({ name }) => name);
      asked.push({ who, system, model: options?.model, tools });
      yield* script.chatStream(messages, options);
    },
  };
  return { provider, asked };
}

/** The definition file of an agent. */
export function agentFile(fields: Record<string, unknown>, body = "You review."): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n\n${body}\n`;
}

export function agentCall(subagent_type: string | undefined, prompt: string, more: object = {}) {
  const type = subagent_type === undefined ? {} : { subagent_type };
  return { name: "Agent", args: { ...type, prompt, ...more } };
}
