import { InteractiveSession, type Provider, type ProviderEvent, Robota } from "@robota/runtime";
import { fallbackProvider, routingProvider } from "@robota/runtime/providers";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { agentCall } from "../../support/agent-support.ts";
import { stuckProvider } from "../../support/support.ts";

const LIMIT_MS = 50;

/** A provider that watches for silence itself: its service says nothing for longer than the limit, but it pings. */
function pinging(script: ScriptedProvider): Provider {
  const pings = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3 * LIMIT_MS));
  return {
    name: "pinging",
    model: "pinging-1",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream(messages) {
      await pings();
      yield* script.chatStream(messages);
    },
    async generate(messages) {
      await pings();
      return script.chat(messages);
    },
  };
}

it("an agent's model may be silent, as the session's own, as long as its service pings", async () => {
  const script = new ScriptedProvider([
    { toolCalls: [agentCall("general-purpose", "Count")] },
    { text: "I counted three." },
    { text: "Three" },
  ]);
  const session = new InteractiveSession({
    platform: memoryPlatform(),
    provider: pinging(script),
    providerTimeout: LIMIT_MS,
  });
  expect(await session.submit("Count")).toMatchObject({ state: "complete", response: "Three" });
  const result = session.getMessages().find(({ role }) => role === "tool");
  expect(result?.content).toContain("I counted three.");
  await session.shutdown();
});

it("a fallback provider asks the next one when a program's own provider says nothing", async () => {
  const reasons: string[] = [];
  const provider = fallbackProvider([stuckProvider(), new ScriptedProvider([{ text: "Hi" }])], {
    onFallback: ({ reason }) => reasons.push(reason),
  });
  const { text } = await new Robota({ provider, timeout: LIMIT_MS }).run("Hello");
  expect({ text, reasons }).toEqual({ text: "Hi", reasons: ["network"] });
});

it("a program's own provider behind a route has a limit of silence", async () => {
  const provider = routingProvider([{ provider: stuckProvider() }]);
  const { error } = await new Robota({ provider, timeout: LIMIT_MS }).run("Hello");
  expect(error).toMatchObject({ code: "NETWORK_ERROR", message: "stuck sent nothing for 0.1 s" });
});

it("a provider that goes on after its limit of silence is stopped, and not heard", async () => {
  const late = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<boolean>();
  const provider: Provider = {
    name: "late",
    model: "late-1",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream(_messages, options): AsyncGenerator<ProviderEvent> {
      try {
        yield { type: "text_delta", delta: "Hel" };
        await late.promise;
        yield { type: "text_delta", delta: "lo" };
      } finally {
        ended.resolve(options?.signal?.aborted === true);
      }
    },
  };
  const heard: string[] = [];
  const run = new Robota({ provider, timeout: LIMIT_MS }).run("Hello", {
    onTextDelta: (delta) => heard.push(delta),
  });
  expect((await run).error).toMatchObject({ code: "NETWORK_ERROR" });
  late.resolve(undefined);
  expect(await ended.promise).toBe(true);
  expect(heard).toEqual(["Hel"]);
});

it("a provider that ends in its own words at a time limit fails by that limit", async () => {
  const provider: Provider = {
    name: "wordy",
    model: "wordy-1",
    chat: () => Promise.reject(new Error("not used")),
    chatStream: () => {
      throw new Error("not used");
    },
    generate: (_messages, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("socket hang up")));
      }),
  };
  const { error } = await new Robota({ provider, callTimeout: LIMIT_MS }).run("Hello");
  expect(error).toMatchObject({
    code: "NETWORK_ERROR",
    message: "wordy did not end its answer within 0.1 s",
  });
});
