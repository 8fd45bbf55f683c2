import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { echo, echoCall } from "../../../../../test/support/support.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { Session } from "../session.ts";
import { sessionKey } from "./storage-keys.ts";

// Time stands still: what happens, happens without a pause.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

it("writes at once that a request waits, and other changes after a pause", async () => {
  const platform = memoryPlatform();
  const stored = async (): Promise<unknown> => {
    const bytes = await platform.storage.get(sessionKey("s"));
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  };
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
