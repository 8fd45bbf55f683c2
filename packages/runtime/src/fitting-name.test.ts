import { expect, it } from "vitest";
import { fittingName } from "./fitting-name.ts";
import { ChatRequestWriter } from "./providers/openai/chat-request.ts";
import { COMMON_DIALECT, SERVICE_DIALECT } from "./providers/openai/dialect.ts";

const rule = { maxLength: 20, rejected: /[^\w-]/g };

it("keeps an accepted id", () => {
  expect(fittingName("call_1-a", rule)).toBe("call_1-a");
});

it("turns any other id into an accepted one, and distinct ids into distinct ones", () => {
  const ids = ["call.1", "call:1", "call_1", `${"x".repeat(40)}a`, `${"x".repeat(40)}b`];
  const made = ids.map((id) => fittingName(id, rule));
  for (const id of made) expect(id).toMatch(/^[\w-]{1,20}$/);
  expect(new Set(made).size).toBe(ids.length);
  expect(ids.map((id) => fittingName(id, rule))).toEqual(made);
});

it.each([
  ["the service", SERVICE_DIALECT, 40],
  // Such servers may put data of their own into an id.
  ["a compatible server", COMMON_DIALECT, 90],
])("sends calls and results to %s under accepted ids", (_, dialect, length) => {
  const id = `toolu_${"x".repeat(84)}`;
  const timestamp = new Date(0);
  const defaults = { provider: "openai", model: "m", maxTokens: undefined, stream: true };
  const body: { messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[] } = JSON.parse(
    new ChatRequestWriter({ ...defaults, dialect }).write(
      [
        { role: "user", id: "u", timestamp, content: "Hi" },
        {
          role: "assistant",
          id: "a",
          timestamp,
          content: "",
          state: "complete",
          toolCalls: [{ id, name: "echo", args: {} }],
        },
        { role: "tool", id: "t", timestamp, toolCallId: id, name: "echo", content: "ok" },
      ],
      {},
    ),
  );
  const [, asking, result] = body.messages;
  expect(result?.tool_call_id).toHaveLength(length);
  expect(asking?.tool_calls?.[0]?.id).toBe(result?.tool_call_id);
});
