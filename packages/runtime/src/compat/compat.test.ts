import { expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { contentText } from "../messages/message.ts";
import {
  AbstractAIProvider,
  AbstractTool,
  type IToolSchema,
  type TUniversalMessage,
} from "./index.ts";

class Shouting extends AbstractAIProvider {
  readonly name = "shouting";
  readonly model = "loud-1";

  async *chatStream(messages: readonly TUniversalMessage[]) {
    const last = messages.at(-1);
    const answer = { role: "assistant", id: "", timestamp: new Date(), state: "complete" } as const;
    if (last?.role === "tool") {
      yield { type: "text_delta", delta: contentText(last.content) } as const;
      yield {
        type: "message",
        message: { ...answer, content: contentText(last.content) },
      } as const;
    } else {
      const toolCalls = [
        { id: "1", name: "shout", args: { text: contentText(last?.content ?? "") } },
      ];
      yield { type: "message", message: { ...answer, content: "", toolCalls } } as const;
    }
  }
}

class Shout extends AbstractTool<{ text: string }> {
  readonly schema: IToolSchema = {
    name: "shout",
    description: "Says it louder",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  };

  execute({ text }: { text: string }): string {
    return text.toUpperCase();
  }
}

it("runs providers and tools written as classes", async () => {
  const agent = new Robota({ provider: new Shouting(), tools: [new Shout()] });
  expect((await agent.run("hello")).text).toBe("HELLO");
});

it("derives chat from the stream", async () => {
  const said: string[] = [];
  const asked = {
    role: "tool",
    id: "",
    timestamp: new Date(),
    toolCallId: "1",
    name: "shout",
    content: "HI",
  } as const;
  const answer = await new Shouting().chat([asked], { onTextDelta: (delta) => said.push(delta) });
  expect([answer.content, said]).toEqual(["HI", ["HI"]]);
});
