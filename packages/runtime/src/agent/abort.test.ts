import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message } from "../messages/message.ts";
import { unansweredCalls } from "../messages/project.ts";
import { chat, type Provider, type ProviderEvent } from "../providers/provider.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { Robota, type RobotaOptions } from "./robota.ts";
import { turnClock } from "../../../../test/support/time/own-time.ts";

const never = new Promise<never>(() => {});
const wait = createFunctionTool("wait", "Never comes back", { type: "object" }, () => never);
const calling = { toolCalls: [{ id: "1", name: "wait", args: {} }] };

/** Emits these events, then nothing more, and ignores aborts. */
function deaf(...events: ProviderEvent[]): Provider {
  const provider: Provider = {
    name: "deaf",
    model: "m",
    chat: (messages, options) => chat(provider, messages, options),
    async *chatStream() {
      yield* events;
      await never;
    },
  };
  return provider;
}

/** Runs until `ready` stops it, and resolves to how it ended. */
async function stopped(
  options: RobotaOptions,
  ready: (stop: () => void) => Partial<RobotaOptions>,
): Promise<{ ms: number; history: Message[]; text: string; interrupted: boolean }> {
  const controller = new AbortController();
  let before: number | undefined;
  using clock = turnClock();
  const stop = (): void => {
    before ??= clock.ms();
    controller.abort();
  };
  const agent = new Robota({ ...options, ...ready(stop) });
  const result = await agent.run("go", { signal: controller.signal });
  const ms = clock.ms() - (before ?? Number.NaN);
  expect(result.error).toBeUndefined();
  const history = agent.getHistory();
  expect(unansweredCalls(history)).toEqual([]);
  return { ms, history, text: result.text, interrupted: result.interrupted };
}

const soon = (stop: () => void): Partial<RobotaOptions> => {
  setTimeout(stop, 10);
  return {};
};

describe("an abort ends a run within 250 ms, with every call answered,", () => {
  it("before the first byte", async () => {
    const { ms, history, interrupted } = await stopped({ provider: deaf() }, soon);
    expect(interrupted).toBe(true);
    expect(ms).toBeLessThan(250);
    expect(history.map(({ role }) => role)).toEqual(["user"]);
  });

  it("during streamed text, which is kept", async () => {
    const provider = deaf({ type: "text_delta", delta: "Half of" });
    const { ms, history, text, interrupted } = await stopped({ provider }, soon);
    expect(interrupted).toBe(true);
    expect(ms).toBeLessThan(250);
    expect(text).toBe("Half of");
    expect(history.at(-1)).toMatchObject({ content: "Half of", state: "interrupted" });
  });

  it("during streamed arguments, which are dropped", async () => {
    const provider = deaf(
      { type: "text_delta", delta: "I look." },
      { type: "tool_call_delta", index: 0, id: "1", name: "wait", delta: '{"a' },
    );
    const { ms, history, interrupted } = await stopped({ provider, tools: [wait] }, soon);
    expect(interrupted).toBe(true);
    expect(ms).toBeLessThan(250);
    expect(history.at(-1)).toMatchObject({ content: "I look.", state: "interrupted" });
    expect((history.at(-1) as AssistantMessage).toolCalls).toBeUndefined();
  });

  it("in a tool that ignores the abort", async () => {
    const provider = new ScriptedProvider([calling]);
    const { ms, history, interrupted } = await stopped({ provider, tools: [wait] }, soon);
    expect(interrupted).toBe(true);
    expect(ms).toBeLessThan(250);
    expect(history.at(-1)).toMatchObject({ role: "tool", toolCallId: "1", errorCode: "aborted" });
  });

  it("while an approval is pending", async () => {
    const provider = new ScriptedProvider([calling]);
    const { ms, history, interrupted } = await stopped({ provider, tools: [wait] }, (stop) => ({
      authorize: () => {
        setTimeout(stop, 5);
        return never;
      },
    }));
    expect(interrupted).toBe(true);
    expect(ms).toBeLessThan(250);
    expect(history.at(-1)).toMatchObject({ role: "tool", toolCallId: "1", errorCode: "aborted" });
  });

  it.each(["beforeRun", "beforeToolExecution", "afterToolExecution", "afterRun"] as const)(
    "in a plugin's %s that never settles",
    async (hook) => {
      const quick = createFunctionTool("wait", "Is there", { type: "object" }, () => "ok");
      const provider = new ScriptedProvider([calling, { text: "done" }]);
      const reported: string[] = [];
      const { ms, history, interrupted } = await stopped({ provider, tools: [quick] }, (stop) => ({
        onPluginError: ({ message }) => reported.push(message),
        plugins: [
          {
            name: "hanging",
            category: "custom",
            [hook]: () => {
              setTimeout(stop, 5);
              return never;
            },
          },
        ],
      }));
      expect(ms).toBeLessThan(250);
      expect(reported[0]).toContain(`failed in ${hook}`);
      expect(history.at(0)).toMatchObject({ role: "user" });
      // The answer was complete by then.
      expect(interrupted).toBe(hook !== "afterRun");
    },
  );

  it("in the delay before a retry", async () => {
    const provider = new ScriptedProvider([{ error: "down" }]);
    const { ms, interrupted } = await stopped({ provider }, (stop) => ({
      plugins: [
        {
          name: "patient",
          category: "error_handling",
          onError: () => {
            setTimeout(stop, 5);
            return { retryAfterMs: 60_000 };
          },
        },
      ],
    }));
    expect(interrupted).toBe(true);
    expect(ms).toBeLessThan(250);
  });
});
