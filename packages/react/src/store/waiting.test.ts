import type { PermissionRequest } from "@robota/runtime";
import type { SessionEventBody, SessionEventOf } from "@robota/runtime/sessions";
import { expect, it } from "vitest";
import { applyEvents } from "./apply-events.ts";
import { emptyView, lastTurn } from "./session-view.ts";

/** The waiting of a turn with these events, each a millisecond after the one before it; the turn's start is at 0. */
function wait(...bodies: SessionEventBody[]) {
  const start: SessionEventBody = { type: "turn_start", input: "Fix it" };
  const events = [start, ...bodies].map((body, index) => {
    return { v: 1, seq: index + 1, sessionId: "s", turnId: "t", time: index, ...body } as const;
  });
  const { waitingSince, waitedMs } = lastTurn(applyEvents(emptyView, events)) ?? {};
  return { waitingSince, waitedMs };
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
const stop: SessionEventBody = { type: "turn_end", state: "complete", response: "" };

it("counts from each question to its answer", () => {
  expect(wait(work, ask("a"))).toEqual({ waitingSince: 2 });
  expect(wait(ask("a"), work, answer("a"), work, ask("b"), answer("b"), stop)).toEqual({
    waitedMs: 3,
  });
  expect(wait(ask("a"), answer("a", "abort"), stop)).toEqual({ waitedMs: 1 });
});

it("counts the time once in which several questions are open", () => {
  expect(wait(ask("a"), ask("b"), answer("a"), answer("b"))).toEqual({ waitedMs: 3 });
});

it("leaves out what a program answers", () => {
  expect(wait(ask("a"), work, answer("a", "hook"), stop)).toEqual({});
});

it("leaves out the questions of agents in the background, which hold nothing up", () => {
  const begun = (background: boolean): SessionEventBody => ({
    type: "agent_start",
    parentId: "c1",
    agentId: "a1",
    agent: "Explore",
    prompt: "Look",
    model: "m",
    background,
  });
  const asked = ask("a", { id: "a1", type: "Explore", toolCallId: "c1" });
  expect(wait(begun(true), asked, work, answer("a"), stop)).toEqual({});
  expect(wait(begun(false), asked, work, answer("a"), stop)).toEqual({ waitedMs: 2 });
});
