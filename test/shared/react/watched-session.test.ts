import { withHost } from "#host";
import { lastTurn, sessionStore, watchedSession } from "@robota/react/store";
import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

it("follows a session that is open elsewhere, and refuses to act on it", async () => {
  await withHost(async ({ platform, cwd }) => {
    await using session = new InteractiveSession({
      platform,
      cwd,
      sessionId: "s",
      provider: new ScriptedProvider([{ text: "first" }, { text: "second" }]),
    });
    await session.submit("one");
    const watched = watchedSession(platform.storage, "s");
    const store = sessionStore(watched);
    const stop = store.subscribe(() => {});
    await expect.poll(() => lastTurn(store.get())?.state).toBe("complete");
    expect(lastTurn(store.get())?.prompt).toBe("one");
    expect(store.get().context?.maxTokens ?? 1).toBeGreaterThan(0);
    await session.submit("two");
    await expect.poll(() => lastTurn(store.get())).toMatchObject({ prompt: "two" });
    await expect(watched.submit("three")).rejects.toMatchObject({ code: "SESSION_BUSY" });
    await expect(watched.setName("x")).rejects.toMatchObject({ code: "SESSION_BUSY" });
    expect(session.getName()).toBeUndefined();
    stop();
  });
});
