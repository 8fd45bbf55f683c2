import type { SessionEvent } from "@robota/runtime";
import type { SessionEventBody, SessionEventOf } from "@robota/runtime/sessions";
import { describe, expect, it } from "vitest";
import { applyEvents } from "./apply-events.ts";
import { mergeDeltas } from "./merge-deltas.ts";
import {
  emptyView,
  lastTurn as lastTurnOf,
  runningTurn,
  type SessionView,
  type ToolItem,
  type TurnView,
} from "./session-view.ts";

const timestamp = new Date(0);

function events(bodies: readonly SessionEventBody[]): SessionEvent[] {
  return bodies.map((body, index) => ({
    v: 1,
    seq: index + 1,
    sessionId: "s",
    time: index,
    turnId: "t",
    ...body,
  }));
}

/** One event after the other, and all at once: both give the same view. */
function fold(...bodies: SessionEventBody[]): SessionView {
  const list = events(bodies);
  const atOnce = applyEvents(emptyView, list);
  const oneByOne = list.reduce((view, event) => applyEvents(view, [event]), emptyView);
  expect(oneByOne).toEqual(atOnce);
  return atOnce;
}

function lastTurn(view: SessionView): TurnView {
  const turn = lastTurnOf(view);
  if (!turn) throw new Error("no turn");
  return turn;
}

function tool(view: SessionView): ToolItem {
  const item = lastTurn(view).items.find((candidate) => candidate.kind === "tool");
  if (item?.kind !== "tool") throw new Error("no tool");
  return item;
}

it("shows the agents that run in the background", () => {
  const begin = (agentId: string, background?: true): SessionEventBody => ({
    type: "agent_start",
    parentId: "c1",
    agentId,
    agent: "Explore",
    prompt: "Look at everything",
    model: "m",
    ...(background && { background }),
  });
  const end = (agentId: string): SessionEventBody => ({
    type: "agent_end",
    parentId: "c1",
    agentId,
    state: "complete",
    response: "",
  });
  const view = fold(begin("a", true), begin("b"), begin("c", true), end("b"), end("a"));
  expect(view.agents).toEqual([{ id: "c", agent: "Explore", work: "Look at everything" }]);
});

const start: SessionEventBody = { type: "turn_start", input: "Fix it" };
const call: SessionEventBody = {
  type: "assistant_message",
  message: {
    role: "assistant",
    id: "m1",
    timestamp,
    content: "I will edit.",
    state: "complete",
    toolCalls: [{ id: "c1", name: "Edit", args: { filePath: "/a" } }],
  },
};
const ask: SessionEventBody = {
  type: "permission_request",
  request: { id: "r1", toolCallId: "c1", tool: "Edit", args: { filePath: "/a" }, reason: "mode" },
};

function answer(allow: boolean): SessionEventBody {
  return {
    type: "permission_decision",
    requestId: "r1",
    toolCallId: "c1",
    decision: { allow, by: "person", ...(allow ? {} : { reason: "not now" }) },
  };
}

function end(errorCode?: string): SessionEventBody {
  return {
    type: "tool_end",
    toolCallId: "c1",
    tool: "Edit",
    message: {
      role: "tool",
      id: "m2",
      timestamp,
      toolCallId: "c1",
      name: "Edit",
      content: "result",
      ...(errorCode && { isError: true, errorCode }),
    },
    outcome: { success: !errorCode, durationMs: 5, ...(errorCode && { errorCode }) },
  };
}

const started: SessionEventBody = {
  type: "tool_start",
  toolCallId: "c1",
  tool: "Edit",
  args: { filePath: "/a" },
  firstArg: "/a",
};

describe("a tool call", () => {
  it("goes from queued through waiting and running to done", () => {
    const steps = [start, call, ask, answer(true), started, end()];
    const phases = steps.map((_, index) => {
      const view = fold(...steps.slice(0, index + 1));
      return index === 0 ? undefined : tool(view).phase;
    });
    expect(phases).toEqual([undefined, "queued", "waiting", "queued", "running", "done"]);
  });

  it("is denied by the person, and its request disappears", () => {
    const view = fold(start, call, ask, answer(false), end("permission_denied"));
    expect(tool(view)).toMatchObject({
      phase: "denied",
      decision: { reason: "not now" },
    });
    expect(view.requests).toEqual([]);
  });

  it.each([
    ["hook_blocked", "blocked"],
    ["aborted", "stopped"],
    ["unknown_outcome", "stopped"],
    ["no_match", "failed"],
  ])("ends with %s as %s", (code, phase) => {
    expect(tool(fold(start, call, started, end(code))).phase).toBe(phase);
  });

  it("shows the arguments as edited by the person", () => {
    const decision: SessionEventBody = {
      type: "permission_decision",
      requestId: "r1",
      toolCallId: "c1",
      decision: { allow: true, by: "person", updatedArgs: { filePath: "/b" } },
    };
    expect(tool(fold(start, call, ask, decision)).args).toEqual({ filePath: "/b" });
  });

  it("is interrupted when its turn ends first", () => {
    const stop: SessionEventBody = { type: "turn_end", state: "interrupted", response: "" };
    expect(tool(fold(start, call, started, stop)).phase).toBe("stopped");
  });
});

it("knows why a call ran or did not, though nobody was asked", () => {
  const decide = (decision: "auto" | "deny"): SessionEventBody => ({
    type: "permission_auto",
    toolCallId: "c1",
    tool: "Edit",
    decision,
    step: "allow",
    by: "rule",
    rule: "Edit(/src/**)",
    layer: "project",
    reason: "The rule Edit(/src/**) allows it.",
  });
  expect(tool(fold(start, call, decide("auto"), started, end()))).toMatchObject({
    phase: "done",
    automatic: { by: "rule", rule: "Edit(/src/**)", layer: "project" },
  });
  expect(tool(fold(start, call, decide("deny"))).phase).toBe("denied");
});

it("lists the rules that answers have stored, until they are revoked or their turn ends", () => {
  const allow = (scope: "once" | "turn" | "session", pattern: string): SessionEventBody => ({
    type: "permission_decision",
    requestId: "r1",
    toolCallId: "c1",
    decision: { allow: true, by: "person", scope, pattern },
  });
  const stop: SessionEventBody = { type: "turn_end", state: "complete", response: "" };
  const stored = [allow("turn", "Edit"), allow("session", "Edit(/a)"), allow("once", "Write")];
  expect(fold(start, ...stored).grants).toEqual([
    { pattern: "Edit", scope: "turn", toolCallId: "c1" },
    { pattern: "Edit(/a)", scope: "session", toolCallId: "c1" },
  ]);
  const later = [...stored, stop];
  expect(fold(start, ...later).grants.map(({ pattern }) => pattern)).toEqual(["Edit(/a)"]);
  const revoked: SessionEventBody = { type: "permission_revoked", pattern: "Edit(/a)" };
  expect(fold(start, ...later, revoked).grants).toEqual([]);
});

describe("a subagent", () => {
  const begun: SessionEventBody = {
    type: "agent_start",
    parentId: "c1",
    agentId: "a1",
    agent: "Explore",
    prompt: "Look at everything",
    model: "m",
  };
  const said = (entry: SessionEventOf<"agent_message">["entry"]): SessionEventBody => ({
    type: "agent_message",
    parentId: "c1",
    agentId: "a1",
    entry,
  });
  const calls = said({
    role: "assistant",
    text: "",
    toolCalls: [{ id: "x", name: "Bash", args: { command: "ls" } }],
  });
  const asked: SessionEventBody = {
    type: "permission_request",
    parentId: "c1",
    request: {
      id: "r1",
      toolCallId: "c1/x",
      tool: "Bash",
      args: { command: "ls" },
      reason: "mode",
      agent: { id: "a1", type: "Explore", toolCallId: "c1" },
    },
  };
  const decided = (allow: boolean): SessionEventBody => ({
    type: "permission_decision",
    parentId: "c1",
    requestId: "r1",
    toolCallId: "c1/x",
    decision: { allow, by: "person" },
  });
  const result = said({ role: "tool", text: "README.md", toolCallId: "x", tool: "Bash" });
  const ended: SessionEventBody = {
    type: "agent_end",
    parentId: "c1",
    agentId: "a1",
    state: "complete",
    response: "",
  };
  const inner = (view: SessionView): readonly (string | undefined)[] =>
    (tool(view).agents ?? []).flatMap((run) => [
      run.state,
      ...run.calls.map(({ id, phase, output }) => `${id} ${phase} ${output}`.trim()),
    ]);

  it("is shown with its own calls inside of the call that started it", () => {
    const steps = [start, call, begun, calls, asked, decided(true), result, ended];
    const seen = steps.slice(2).map((_, index) => inner(fold(...steps.slice(0, index + 3))));
    expect(seen).toEqual([
      ["running"],
      ["running", "c1/x running"],
      ["running", "c1/x waiting"],
      ["running", "c1/x running"],
      ["running", "c1/x done README.md"],
      ["complete", "c1/x done README.md"],
    ]);
  });

  it("is denied a call, and is over when its session stops it", () => {
    const denied = [start, call, begun, asked, decided(false), result];
    expect(inner(fold(...denied))).toEqual(["running", "c1/x denied README.md"]);
    const stopped = [start, call, begun, calls, { ...ended, state: "interrupted" as const }];
    expect(inner(fold(...stopped))).toEqual(["interrupted", "c1/x stopped"]);
  });

  it("goes on in the background while later turns run", () => {
    const stop: SessionEventBody = { type: "turn_end", state: "complete", response: "" };
    const view = fold(start, call, { ...begun, background: true }, end(), stop, start, calls);
    const [first] = view.timeline;
    const item = first?.kind === "turn" ? first.items.find(({ kind }) => kind === "tool") : first;
    expect(item).toMatchObject({ agents: [{ isBackground: true, calls: [{ id: "c1/x" }] }] });
  });
});

describe("text", () => {
  const delta = (text: string): SessionEventBody => ({
    type: "text_delta",
    messageId: "m1",
    delta: text,
  });

  it("keeps its id from the first delta to the final message", () => {
    const live = lastTurn(fold(start, delta("\n\nI will"), delta(" edit."))).items[0];
    expect(live).toEqual({ kind: "text", id: "m1", text: "I will edit.", streaming: true });
    const final = lastTurn(fold(start, delta("I will"), delta(" edit."), call)).items[0];
    expect(final).toEqual({ kind: "text", id: "m1", text: "I will edit.", streaming: false });
  });

  it("stays when the turn is aborted in the middle of it", () => {
    const stop: SessionEventBody = { type: "turn_end", state: "interrupted", response: "I wi" };
    const turn = lastTurn(fold(start, delta("I wi"), stop));
    expect(turn).toMatchObject({ state: "interrupted", cut: false });
    expect(turn.items).toEqual([{ kind: "text", id: "m1", text: "I wi", streaming: false }]);
  });

  it("is not repeated by a message that only reports a failure", () => {
    const report: SessionEventBody = {
      type: "assistant_message",
      message: {
        role: "assistant",
        id: "m9",
        timestamp,
        content: "Error: busy",
        state: "complete",
        error: { code: "RATE_LIMIT", message: "busy" },
      },
    };
    expect(lastTurn(fold(start, report)).items).toEqual([]);
  });

  it("folds a burst in one step", () => {
    const burst = events([delta("a"), delta("b"), { ...delta("c") }, call, delta("d")]);
    expect(mergeDeltas(burst).map((event) => event.type)).toEqual([
      "text_delta",
      "assistant_message",
      "text_delta",
    ]);
    expect(mergeDeltas(burst)[0]).toMatchObject({ delta: "abc" });
  });
});

describe("a turn interrupted by a closed page", () => {
  const resume: SessionEventBody = { type: "session_resume", cut: true };
  const stop: SessionEventBody = { type: "turn_end", state: "interrupted", response: "" };

  it("is interrupted, as distinct from aborted by the person", () => {
    const view = fold(start, call, started, resume, end("unknown_outcome"), stop);
    expect(lastTurn(view)).toMatchObject({ state: "interrupted", cut: true });
    expect(runningTurn(view)).toBeUndefined();
  });

  it("is still running while a request is open, and continues with the answer", () => {
    const waiting = fold(start, call, ask, resume);
    expect(lastTurn(waiting)).toMatchObject({ state: "running", cut: true });
    expect(waiting.requests).toHaveLength(1);
    expect(lastTurn(fold(start, call, ask, resume, answer(true))).cut).toBe(false);
  });

  it("counts as aborted when the person stops it while it waits", () => {
    const view = fold(start, call, ask, resume, answer(false), stop);
    expect(lastTurn(view)).toMatchObject({ state: "interrupted", cut: false });
  });
});

it("shows a steering message at its place in the running turn", () => {
  const said = (id: string, content: string): SessionEventBody => ({
    type: "user_message",
    message: { role: "user", id, timestamp, content },
  });
  const { items } = lastTurn(fold(start, said("u1", "Fix it"), call, said("u2", "and quickly")));
  expect(items.map((item) => item.kind)).toEqual(["text", "tool", "steer"]);
});

it("puts a compaction before its turn", () => {
  const { timeline } = fold(start, {
    type: "compaction",
    trigger: "auto",
    summary: "all of it",
    before: 12_345,
    after: 800,
  });
  expect(timeline.map((entry) => entry.kind)).toEqual(["divider", "turn"]);
  expect(timeline[0]).toMatchObject({ detail: "all of it" });
});

it("keeps parts that an event does not change as the same objects", () => {
  const before = fold(start, call, { type: "turn_end", state: "complete", response: "" }, start);
  const after = applyEvents(before, events([{ type: "queue_update", queue: ["next"] }]));
  expect(after.timeline).toBe(before.timeline);
  const [first] = before.timeline;
  const grown = applyEvents(before, events([{ type: "text_delta", messageId: "m5", delta: "x" }]));
  expect(grown.timeline[0]).toBe(first);
});

it("ignores the text of subagents but not their requests", () => {
  const [said, asked] = events([{ type: "text_delta", messageId: "x", delta: "inner" }, ask]) as [
    SessionEvent,
    SessionEvent,
  ];
  const before = fold(start);
  expect(applyEvents(before, [{ ...said, parentId: "c1" }])).toBe(before);
  expect(applyEvents(before, [{ ...asked, parentId: "c1" }]).requests).toHaveLength(1);
});

describe("a rewind", () => {
  const turn = (turnId: string, input: string): SessionEvent[] =>
    events([
      { type: "turn_start", input },
      { type: "turn_end", state: "complete", response: "" },
    ]).map((event) => ({ ...event, turnId }));
  const rewind = (seq: number, checkpointId: string, what: "files" | "both"): SessionEvent[] => [
    { v: 1, seq, sessionId: "s", time: 0, type: "rewind", checkpointId, what },
  ];
  const shown = ({ timeline }: SessionView): string[] =>
    timeline.map((entry) => (entry.kind === "turn" ? entry.prompt : entry.label));
  const before = applyEvents(emptyView, [...turn("t1", "one"), ...turn("t2", "two")]);

  it("removes the turns since its checkpoint, and is shown", () => {
    const after = applyEvents(before, rewind(9, "t2", "both"));
    expect(shown(after)).toEqual(["one", "Conversation and files rewound"]);
    expect(shown(before)).toEqual(["one", "two"]);
  });

  it("is undone by a rewind to its own position", () => {
    const after = applyEvents(before, [...rewind(9, "t1", "both"), ...turn("t3", "three")]);
    expect(shown(after)).toEqual(["Conversation and files rewound", "three"]);
    expect(shown(applyEvents(after, rewind(12, "rewind-9", "both")))).toEqual([
      "one",
      "two",
      "Conversation and files rewound",
    ]);
  });

  it("of files only keeps the conversation", () => {
    const after = applyEvents(before, rewind(9, "t1", "files"));
    expect(shown(after)).toEqual(["one", "two", "Files rewound"]);
  });
});

it("shows who answers a turn, and a request that is repeated until something arrives", () => {
  const init = { provider: "offline", model: "script-1" };
  const changed: SessionEventBody = { type: "model_change", provider: "openai", model: "gpt-5.4" };
  const data = { retry: 2, of: 3, waitMs: 1_000, code: "OVERLOADED", message: "busy" };
  const again: SessionEventBody = { type: "note", kind: "model-retry", data };
  const word: SessionEventBody = { type: "text_delta", messageId: "m1", delta: "Hi" };
  const waiting = applyEvents({ ...emptyView, ...init }, events([changed, start, again]));
  expect(waiting).toMatchObject({ provider: "openai", model: "gpt-5.4" });
  expect(lastTurn(waiting)).toMatchObject({ provider: "openai", model: "gpt-5.4", retry: data });
  expect(lastTurn(applyEvents(waiting, events([word]))).retry).toBeUndefined();
  const by: SessionEventBody = {
    type: "assistant_message",
    message: { role: "assistant", id: "m1", timestamp, content: "Hi", state: "complete" },
  };
  Object.assign(by.message, { provider: "anthropic", model: "claude-sonnet-5" });
  expect(lastTurn(applyEvents(waiting, events([by])))).toMatchObject({
    provider: "anthropic",
    model: "claude-sonnet-5",
    retry: undefined,
  });
});
