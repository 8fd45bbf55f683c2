import {
  type HooksConfig,
  type Provider,
  type ProviderEvent,
  Session,
  type SessionEvent,
  type SessionOptions,
  type Tool,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { echo, echoCall, endless, until } from "../../../support/support.ts";
import { turnClock } from "../../../support/time/own-time.ts";

/** A provider that sends these events and then hears nothing but an abort. */
function stopsAfter(...events: ProviderEvent[]): Provider {
  return {
    name: "slow",
    model: "slow-1",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream(_messages, { signal } = {}) {
      yield* events;
      await new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    },
  };
}

interface Phase {
  name: string;
  options: Partial<SessionOptions> & { provider: Provider };
  /** True once the turn has reached the point at which it is aborted. */
  isThere(events: readonly SessionEvent[]): boolean;
  /** The words that are kept. */
  text?: string;
}

const never = { text: "never" };

function hanging(event: keyof HooksConfig): { hooks: HooksConfig; isRunning: () => boolean } {
  let running = false;
  const run = (): Promise<void> => {
    running = true;
    return new Promise(() => {});
  };
  return { hooks: { [event]: [{ hooks: [{ type: "function", run }] }] }, isRunning: () => running };
}

function phases(): Phase[] {
  return [...answerPhases(), ...toolPhases(), ...approvalPhases(), ...hookPhases()];
}

function said(events: readonly SessionEvent[], type: SessionEvent["type"]): boolean {
  return events.some((event) => event.type === type);
}

function answerPhases(): Phase[] {
  return [
    {
      name: "before the first byte",
      options: { provider: stopsAfter() },
      isThere: (events) => said(events, "user_message"),
    },
    {
      name: "in the middle of the text",
      options: { provider: stopsAfter({ type: "text_delta", delta: "Half a sen" }) },
      isThere: (events) => said(events, "text_delta"),
      text: "Half a sen",
    },
    {
      name: "in the middle of a call's arguments",
      options: {
        provider: stopsAfter(
          { type: "text_delta", delta: "Looking" },
          { type: "tool_call_delta", index: 0, id: "c", name: "echo", delta: '{"te' },
        ),
        tools: [echo],
      },
      isThere: (events) => said(events, "text_delta"),
      text: "Looking",
    },
  ];
}

function toolPhases(): Phase[] {
  const slow = endless();
  let toolRuns = false;
  void slow.began.then(() => (toolRuns = true));
  let deafRuns = false;
  const deaf: Tool = {
    name: "deaf",
    description: "Hears nothing",
    parameters: { type: "object" },
    execute: () => {
      deafRuns = true;
      return new Promise(() => {});
    },
  };
  return [
    {
      name: "in a tool",
      options: {
        provider: new ScriptedProvider([
          { toolCalls: [{ id: "e", name: "endless", args: {} }] },
          never,
        ]),
        tools: [slow.tool],
      },
      isThere: () => toolRuns,
    },
    {
      name: "in a tool that does not hear of it",
      options: {
        provider: new ScriptedProvider([
          { toolCalls: [{ id: "d", name: "deaf", args: {} }] },
          never,
        ]),
        tools: [deaf],
      },
      isThere: () => deafRuns,
    },
  ];
}

function approvalPhases(): Phase[] {
  return [
    {
      name: "in an approval",
      options: {
        provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, never]),
        tools: [echo],
        permissionMode: "default",
        unanswered: "wait",
      },
      isThere: (events) => said(events, "permission_request"),
    },
    {
      name: "in a handler that never answers",
      options: {
        provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, never]),
        tools: [echo],
        permissionMode: "default",
        permissionHandler: () => new Promise(() => {}),
      },
      isThere: (events) => said(events, "permission_request"),
    },
  ];
}

function hookPhases(): Phase[] {
  const before = hanging("PreToolUse");
  const submit = hanging("UserPromptSubmit");
  const stop = hanging("Stop");
  return [
    {
      name: "in a hook before a tool",
      options: {
        provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, never]),
        tools: [echo],
        hooks: before.hooks,
      },
      isThere: before.isRunning,
    },
    {
      name: "in a hook on the prompt",
      options: { provider: new ScriptedProvider([never]), hooks: submit.hooks },
      isThere: submit.isRunning,
    },
    {
      name: "in a hook at the end",
      options: { provider: new ScriptedProvider([{ text: "Done" }, never]), hooks: stop.hooks },
      isThere: stop.isRunning,
      text: "Done",
    },
  ];
}

it.each(phases())(
  "a turn aborted $name ends within 250 ms, and the session continues",
  async ({ name }) => {
    const phase = phases().find((one) => one.name === name);
    if (!phase) throw new Error(`no phase ${name}`);
    const platform = memoryPlatform();
    const session = new Session({
      platform,
      permissionMode: "bypassPermissions",
      ...phase.options,
    });
    const events: SessionEvent[] = [];
    session.subscribe((event) => events.push(event));
    const running = session.run("go");
    await until(() => phase.isThere(events));
    using clock = turnClock();
    session.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(clock.ms()).toBeLessThan(250);

    const ends = events.filter(({ type }) => type === "turn_end");
    const hasBegun = events.some(({ type }) => type === "turn_start");
    expect(ends.map((event) => "state" in event && event.state)).toEqual(
      hasBegun ? ["interrupted"] : [],
    );
    const words = session.getHistory().filter(({ role }) => role === "assistant");
    if (phase.text !== undefined) expect(JSON.stringify(words)).toContain(phase.text);
    await session.shutdown();

    const provider = new ScriptedProvider([{ text: "Here" }]);
    const again = new Session({ platform, provider, sessionId: session.sessionId });
    expect(await again.run("Still there?")).toBe("Here");
    const sent = provider.requests[0]?.messages ?? [];
    const calls = sent.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []) : [],
    );
    const answered = sent.flatMap((message) =>
      message.role === "tool" ? [message.toolCallId] : [],
    );
    expect(answered).toEqual(calls.map(({ id }) => id));
    await again.shutdown();
  },
);
