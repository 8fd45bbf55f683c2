import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Content, Message } from "../messages/message.ts";
import { RequestWriter } from "./anthropic/request.ts";
import { COMMON_DIALECT } from "./openai/dialect.ts";
import { ChatRequestWriter } from "./openai/chat-request.ts";
import { ResponsesRequestWriter } from "./openai/responses-request.ts";
import type { ChatOptions } from "./provider.ts";

interface Writer {
  write(messages: readonly Message[], options: ChatOptions): string;
}

const defaults = { provider: "p", model: "m", maxTokens: 1000 };
const writers: [name: string, create: () => Writer][] = [
  ["Anthropic", () => new RequestWriter({ ...defaults, promptCaching: true })],
  ["Anthropic without marks", () => new RequestWriter({ ...defaults, promptCaching: false })],
  [
    "Chat Completions",
    () => new ChatRequestWriter({ ...defaults, stream: true, dialect: COMMON_DIALECT }),
  ],
  ["Responses", () => new ResponsesRequestWriter({ ...defaults, stream: true })],
];

const withPicture: Content = [
  { type: "text", text: "with a picture" },
  { type: "image", mediaType: "image/png", data: "AAAA" },
];
/** A text long enough for its serialised form to be kept. */
const long = "long ".repeat(1000);
const contents: Content[] = ["", " ", "한국어", 'a "b" \\ c', withPicture, long];
/** Any order, also ones that no conversation has. */
const message = fc.record({
  kind: fc.constantFrom("user", "assistant", "calls", "tool"),
  content: fc.constantFrom(...contents),
});
/** Changes of a conversation between two requests: it loses messages at its end, then gets new ones. */
const steps = fc.array(
  fc.record({ lost: fc.nat({ max: 3 }), added: fc.array(message, { maxLength: 5 }) }),
  { maxLength: 12 },
);

let ids = 0;
function toMessage({ kind, content: said }: { kind: string; content: Content }): Message {
  const id = `m${++ids}`;
  const timestamp = new Date(0);
  if (kind === "user") return { role: "user", id, timestamp, content: said };
  if (kind === "tool")
    return { role: "tool", id, timestamp, content: said, toolCallId: "c", name: "t" };
  const text = typeof said === "string" ? said : "text";
  const answer: Message = { role: "assistant", id, timestamp, content: text, state: "complete" };
  return kind === "calls" ? { ...answer, toolCalls: [{ id: "c", name: "t", args: {} }] } : answer;
}

describe.each(writers)("the request that %s writes of a growing conversation", (_, create) => {
  it("equals that of a new writer", () => {
    fc.assert(
      fc.property(steps, (changes) => {
        const writer = create();
        const messages: Message[] = [];
        for (const { lost, added } of changes) {
          messages.length = Math.max(0, messages.length - lost);
          messages.push(...added.map(toMessage));
          const body = writer.write(messages, {});
          expect(body).toBe(create().write(messages, {}));
          JSON.parse(body);
        }
      }),
    );
  });

  it("separates two conversations with a common beginning", () => {
    const writer = create();
    const common = [
      { kind: "user", content: long },
      { kind: "assistant", content: "two" },
      { kind: "user", content: "three" },
      { kind: "assistant", content: "four" },
    ].map(toMessage);
    const [left, right] = ["left", "right"].map((text) => [
      ...common,
      toMessage({ kind: "user", content: text }),
      toMessage({ kind: "assistant", content: `${text} again` }),
      toMessage({ kind: "user", content: "go on" }),
    ]);
    for (const messages of [left, right, left, right]) {
      if (!messages) continue;
      expect(writer.write(messages, {})).toBe(create().write(messages, {}));
    }
  });
});
