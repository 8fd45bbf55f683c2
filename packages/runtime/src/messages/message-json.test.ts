import { expect, it } from "vitest";
import type { Message, MessageMetadata } from "./message.ts";
import { messageForJson, messageFromJson } from "./message-json.ts";

function throughJson(metadata: MessageMetadata): Message {
  const message: Message = {
    role: "user",
    id: "1",
    timestamp: new Date(1),
    content: "Hi",
    metadata,
  };
  return messageFromJson(JSON.parse(JSON.stringify(messageForJson(message))) as Message);
}

it("keeps metadata of every kind through JSON, including dates", () => {
  const metadata: MessageMetadata = {
    text: "2026-01-01T00:00:00.000Z",
    count: 1.5,
    isDone: false,
    at: new Date("2026-01-01T00:00:00.123Z"),
    words: ["a", "b"],
    numbers: [1, 2],
    usage: { inputTokens: 1, outputTokens: 2 },
  };
  const { metadata: back, timestamp } = throughJson(metadata);
  expect(back).toEqual(metadata);
  expect([back?.["at"], timestamp]).toEqual([metadata["at"], new Date(1)]);
  expect(back?.["at"]).toBeInstanceOf(Date);
});

it("takes no other value for a date", () => {
  const metadata: MessageMetadata = {
    like: { $date: 5 },
    more: { $$date: 6, $x: 7, plain: 8 },
    never: new Date(Number.NaN),
  };
  expect(throughJson(metadata).metadata).toEqual(metadata);
});
