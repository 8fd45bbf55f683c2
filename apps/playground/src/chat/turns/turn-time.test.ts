import { applyEvents, emptyView, lastTurn } from "@robota/react/store";
import type { PermissionRequest } from "@robota/runtime";
import type { SessionEventBody, SessionEventOf } from "@robota/runtime/sessions";
import { expect, it } from "vitest";
import { turnTime } from "./turn-time.ts";

/** The time of a turn with these events, each a second after the one before it. */
function timeOf(...bodies: SessionEventBody[]): string {
  const start: SessionEventBody = { type: "turn_start", input: "Fix it" };
  const end: SessionEventBody = { type: "turn_end", state: "complete", response: "" };
  const events = [start, ...bodies, end].map((body, index) => {
    const time = 1_000 * (index + 1);
    return { v: 1, seq: index + 1, sessionId: "s", turnId: "t", time, ...body } as const;
  });
  const turn = lastTurn(applyEvents(emptyView, events));
  return turn ? turnTime(turn) : "";
}

function call(id: string): SessionEventBody {
  return { type: "tool_start", toolCallId: `c-${id}`, tool: "Edit", args: {}, firstArg: "" };
}

function ask(id: string, agent?: PermissionRequest["agent"]): SessionEventBody {
  const request = { id, toolCallId: `c-${id}`, tool: "Edit", args: {}, reason: "mode" };
  return { type: "permission_request", request: { ...request, ...(agent && { agent }) } };
}

function answer(
  id: string,
  by: SessionEventOf<"permission_decision">["decision"]["by"] = "person",
): SessionEventBody {
  const decision = { allow: by !== "abort", by };
  return { type: "permission_decision", requestId: id, toolCallId: `c-${id}`, decision };
}

const work: SessionEventBody = { type: "text_delta", messageId: "m", delta: "Hm." };

it("is empty before the turn's end", () => {
  expect(turnTime({ startedAt: 1_000, items: [] })).toBe("");
});

it("survives a clock that was set back meanwhile", () => {
  expect(turnTime({ startedAt: 1_000, endedAt: 500, items: [] })).toBe("0 ms");
});

it("tells the time of work, and apart from it the time from each question to its answer", () => {
  expect(timeOf(work)).toBe("2.0 s");
  const one = [call("a"), ask("a"), work, answer("a")];
  expect(timeOf(...one, call("b"), ask("b"), answer("b"))).toBe("5.0 s, and 3.0 s waiting for you");
  expect(timeOf(call("a"), ask("a"), answer("a", "abort"))).toBe(
    "3.0 s, and 1.0 s waiting for you",
  );
});

it("counts the time once in which several questions are open", () => {
  const calls = [call("a"), call("b")];
  expect(timeOf(...calls, ask("a"), ask("b"), answer("a"), answer("b"))).toBe(
    "4.0 s, and 3.0 s waiting for you",
  );
});

it("leaves out what a program answers", () => {
  expect(timeOf(call("a"), ask("a"), work, answer("a", "hook"))).toBe("5.0 s");
});

it("leaves out the questions of agents in the background, which hold nothing up", () => {
  const begun = (background: boolean): SessionEventBody => ({
    type: "agent_start",
    parentId: "c-1",
    agentId: "a1",
    agent: "Explore",
    prompt: "Look",
    model: "m",
    background,
  });
  const asked = ask("a", { id: "a1", type: "Explore", toolCallId: "c-1" });
  expect(timeOf(call("1"), begun(true), asked, work, answer("a"))).toBe("6.0 s");
  expect(timeOf(call("1"), begun(false), asked, work, answer("a"))).toBe(
    "4.0 s, and 2.0 s waiting for you",
  );
});
