import {
  type AssistantMessage,
  chat,
  defineTool,
  type Message,
  type Platform,
  type Provider,
  type ProviderEvent,
  Session,
} from "@robota/runtime";

const PROMPT = "Where is the function that reads the settings, and who calls it? ".repeat(2);
const WORDS = "It is in the module of that name, and three others call it. ";
const SOURCE =
  "export function readSettings(path: string): Settings {\n  return parse(path);\n}\n".repeat(12);
/** Every so many turns call a tool before they answer. */
const TOOL_EVERY = 3;
/** Far above what the turns of a bench fill, so that none of them is spent on a summary. */
const UNBOUNDED = 1e12;

/** Answers at once, in this process: every third turn with a call of the tool first. */
class InstantProvider implements Provider {
  readonly name = "instant";
  readonly model = "instant-1";
  #answers = 0;

  chat(messages: readonly Message[]): Promise<AssistantMessage> {
    return chat(this, messages);
  }

  async *chatStream(messages: readonly Message[]): AsyncGenerator<ProviderEvent> {
    this.#answers += 1;
    const isNew = messages.at(-1)?.role === "user";
    const message: AssistantMessage = {
      role: "assistant",
      id: crypto.randomUUID(),
      timestamp: new Date(),
      state: "complete",
      content: "",
      usage: { inputTokens: 900, outputTokens: 80, cacheReadTokens: 0, cacheWriteTokens: 0 },
    };
    if (isNew && this.#answers % TOOL_EVERY === 0) {
      const args = { path: `src/settings-${this.#answers}.ts` };
      message.toolCalls = [{ id: `call-${this.#answers}`, name: "Look", args }];
    } else {
      for (let index = 0; index < 8; index++) yield { type: "text_delta", delta: WORDS };
      message.content = WORDS.repeat(8);
    }
    yield { type: "message", message };
  }
}

const look = defineTool<{ path: string }>({
  name: "Look",
  description: "Shows a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  access: "none",
  execute: () => SOURCE,
});

/** A session whose model answers at once and looks at a file in every third turn. */
export function benchSession(platform: Platform, sessionId: string): Session {
  return new Session({
    platform,
    provider: new InstantProvider(),
    sessionId,
    tools: [look],
    permissionMode: "bypassPermissions",
    contextWindow: UNBOUNDED,
    trackFiles: false,
  });
}

/** Runs that many turns. */
export async function runTurns(session: Session, turns: number): Promise<void> {
  for (let index = 0; index < turns; index++) await session.run(PROMPT);
}
