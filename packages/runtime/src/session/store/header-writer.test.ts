import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { echo, echoCall } from "../../../../../test/support/support.ts";
import type { Platform } from "../../ports/platform.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { Session } from "../session.ts";
import { sessionKey } from "./storage-keys.ts";

// Time stands still: what happens, happens without a pause.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

async function headerIn({ storage }: Platform): Promise<unknown> {
  const bytes = await storage.get(sessionKey("s"));
  return bytes && JSON.parse(new TextDecoder().decode(bytes));
}

it("writes at once that a turn runs, also right behind another one", async () => {
  const platform = memoryPlatform();
  const provider = new ScriptedProvider([{ text: "One" }, { deltas: ["T", "wo"], delayMs: 1_000 }]);
  const session = new Session({ platform, provider, sessionId: "s" });
  await session.run("First");
  await vi.advanceTimersByTimeAsync(200);
  expect(await headerIn(platform)).toMatchObject({ state: "idle" });
  const running = session.run("Second").catch(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  // As whoever comes finds it when the process ends right now.
  expect(await headerIn(platform)).toMatchObject({ state: "open", messageCount: 3 });
  session.abort();
  await running;
  await session.shutdown();
});

it("writes at once that a request waits, and that a turn is over after a pause", async () => {
  const platform = memoryPlatform();
  const stored = (): Promise<unknown> => headerIn(platform);
  const provider = new ScriptedProvider([{ text: "One" }, { toolCalls: [echoCall("x")] }]);
  const session = new Session({ platform, provider, tools: [echo], sessionId: "s" });
  await session.run("First");
  expect(await stored()).toMatchObject({ state: "open", messageCount: 1 });
  await vi.advanceTimersByTimeAsync(200);
  expect(await stored()).toMatchObject({ state: "idle", messageCount: 2 });

  const { promise: asked, resolve } = Promise.withResolvers<void>();
  session.subscribe(({ type }) => type === "permission_request" && resolve());
  const running = session.run("Second").catch(() => undefined);
  await asked;
  await vi.advanceTimersByTimeAsync(0);
  expect(await stored()).toMatchObject({ state: "waiting" });
  session.abort();
  await running;
  await session.shutdown();
  expect(await stored()).toMatchObject({ state: "idle" });
});
