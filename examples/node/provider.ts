// A provider of your own: a stream of events that ends with one message. This one shouts back.
import { chat, contentText, createQuery, type Provider } from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";

const shouting: Provider = {
  name: "shouting",
  model: "shout-1",
  chat(messages, options) {
    return chat(this, messages, options);
  },
  async *chatStream(messages, { signal } = {}) {
    const prompt = messages.findLast(({ role }) => role === "user");
    const text = contentText(prompt?.content ?? "").toUpperCase();
    for (const word of text.split(/(?<= )/)) {
      signal?.throwIfAborted();
      yield { type: "text_delta", delta: word };
    }
    yield {
      type: "message",
      message: {
        id: crypto.randomUUID(),
        role: "assistant",
        content: text,
        timestamp: new Date(),
        state: "complete",
        usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
      },
    };
  },
};

const query = createQuery({ platform: memoryPlatform(), provider: shouting });
console.log(await query("hello there"));
