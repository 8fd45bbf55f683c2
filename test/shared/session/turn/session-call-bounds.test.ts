import { type Provider, Session, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { echo, echoCall } from "../../../support/support.ts";

/** Answers with its script, and then with pings that never end in an answer. */
function endingInPings(script: ScriptedProvider): Provider {
  return {
    name: "pinging",
    model: "pinging-1",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream(messages, options) {
      if (script.remaining > 0) return yield* script.chatStream(messages, options);
      await new Promise((_resolve, reject) => {
        options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
      });
    },
  };
}

const bounds = [
  ["callTimeout", "pinging did not end its answer within 0.1 s"],
  ["progressTimeout", "pinging is alive, but its answer did not grow for 0.1 s"],
  ["providerTimeout", "pinging sent nothing for 0.1 s"],
] as const;

it.each(bounds)("a compaction fails at the session's %s", async (bound, message) => {
  const provider = endingInPings(new ScriptedProvider([{ text: "Hi" }]));
  const session = new Session({ platform: memoryPlatform(), provider, [bound]: 50 });
  await session.run("Hello");
  await expect(session.compact()).rejects.toMatchObject({
    code: "COMPACTION_FAILED",
    cause: { code: "NETWORK_ERROR", message },
  });
  await session.shutdown();
});

const judge = { type: "prompt", judge: true, prompt: "Is it good?" } as const;
const agent = { type: "agent", agent: "judge", config: { systemPrompt: "You judge." } } as const;

it.each(
  bounds.flatMap(([bound, message]) => [
    { bound, message, hook: judge },
    { bound, message, hook: agent },
  ]),
)("a $hook.type hook fails at the session's $bound", async ({ bound, message, hook }) => {
  const script = new ScriptedProvider([{ toolCalls: [echoCall("hi")] }]);
  const session = new Session({
    platform: memoryPlatform(),
    provider: endingInPings(script),
    tools: [echo],
    permissions: { allow: ["echo"] },
    hooks: { PreToolUse: [{ matcher: "echo", hooks: [hook] }] },
    [bound]: 50,
  });
  const runs: SessionEvent[] = [];
  session.subscribe((event) => {
    if (event.type === "hook_run") runs.push(event);
  });
  await expect(session.run("Hello")).rejects.toMatchObject({ code: "NETWORK_ERROR" });
  const output: unknown = expect.stringContaining(message);
  expect(runs).toMatchObject([{ event: "PreToolUse", outcome: "failed", output }]);
  await session.shutdown();
});

it("a hook's question has the time of the platform's clock", async () => {
  const platform = memoryPlatform();
  platform.now = () => 1_000_000;
  const script = new ScriptedProvider([
    { toolCalls: [echoCall("hi")] },
    { text: '{"ok": true}' },
    { text: "Done" },
  ]);
  const session = new Session({
    platform,
    provider: script,
    tools: [echo],
    permissions: { allow: ["echo"] },
    hooks: { PreToolUse: [{ matcher: "echo", hooks: [judge] }] },
  });
  expect(await session.run("Hello")).toBe("Done");
  expect(script.requests[1]?.messages).toMatchObject([{ timestamp: new Date(1_000_000) }]);
  await session.shutdown();
});

it("a compaction that is stopped while the model answers is aborted, not failed", async () => {
  const provider = endingInPings(new ScriptedProvider([{ text: "Hi" }]));
  const session = new Session({ platform: memoryPlatform(), provider });
  await session.run("Hello");
  session.subscribe((event) => {
    if (event.type === "note" && event.kind === "summarising") session.abort();
  });
  await expect(session.compact()).rejects.toMatchObject({ name: "AbortError" });
  expect(session.getHistory()).toHaveLength(2);
  await session.shutdown();
});
