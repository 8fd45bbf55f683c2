import type { SessionEvent } from "@robota/runtime";
import { expect, it } from "vitest";
import { conversationOf, requests } from "./requests.ts";

let seq = 0;
const head = () => ({ v: 1, seq: ++seq, sessionId: "s", time: seq * 100, turnId: "t" }) as const;
const timestamp = new Date(0);
const usage = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

function sessionEvents(model: string): SessionEvent[] {
  const answer = (id: string, content: string): SessionEvent => ({
    ...head(),
    type: "assistant_message",
    message: { role: "assistant", id, timestamp, content, state: "complete", model, usage },
  });
  return [
    { ...head(), type: "turn_start", input: "Hi" },
    {
      ...head(),
      type: "user_message",
      message: { role: "user", id: "u", timestamp, content: "Hi" },
    },
    {
      ...head(),
      type: "context_update",
      usedTokens: 1,
      maxTokens: 2,
      usedPercentage: 50,
      exact: true,
    },
    answer("a1", "Hello"),
    {
      ...head(),
      type: "compaction",
      trigger: "manual",
      summary: "Greetings.",
      before: 9,
      after: 2,
    },
    answer("a2", "Again"),
  ];
}

it("lists every request with its time, tokens, cost and messages, and adds them up", () => {
  const events = sessionEvents("claude-sonnet-5");
  const state = requests.create();
  for (const event of events) requests.apply(state, event);
  expect(state.rows).toMatchObject([
    { lastMessageId: "u", messages: 1, durationMs: 200, cost: 3, usage },
    { lastMessageId: "summary-5", messages: 1, durationMs: 100, cost: 3 },
  ]);
  expect(state).toMatchObject({ cost: 6, isPartial: false, total: { inputTokens: 2_000_000 } });
  const last = state.rows.at(-1)?.seq ?? 0;
  expect(conversationOf(events, last).map(({ content }) => content)).toEqual(["Greetings."]);
});

it("says that a model without prices is missing in the costs", () => {
  const state = requests.create();
  for (const event of sessionEvents("unheard-of")) requests.apply(state, event);
  expect(state).toMatchObject({ cost: 0, isPartial: true });
  expect(state.rows[0]?.cost).toBeUndefined();
});
