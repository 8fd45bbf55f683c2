import { withHost } from "#host";
import { expect, it } from "vitest";
import { on } from "../../../support/hook-support.ts";
import {
  CUT,
  ended,
  eventsOf,
  expectSameBytes,
  sessionOf,
} from "../../../support/recovery/cut-turn.ts";
import { logText } from "../../../support/support.ts";

it("begins a session once, however many prompts are sent while it opens", () =>
  withHost(async ({ platform, cwd }) => {
    const { session } = sessionOf(platform, [{ text: "1" }, { text: "2" }, { text: "3" }], { cwd });
    await Promise.all(["one", "two", "three"].map((text) => session.submit(text)));
    const events = await eventsOf(session);
    expect(events.filter(({ type }) => type === "session_init")).toHaveLength(1);
    await session.shutdown();
    await expectSameBytes(platform.storage);
  }));

it("replays prompts that were queued while the first turn begins", () =>
  withHost(async ({ platform, cwd }) => {
    const begins = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const { session } = sessionOf(platform, [{ text: "1" }, { text: "2" }, { text: "3" }], {
      cwd,
      hooks: on("UserPromptSubmit", async (input) => {
        if (!("prompt" in input) || input.prompt !== "one") return;
        begins.resolve();
        await held.promise;
      }),
    });
    const turns = [session.submit("one")];
    await begins.promise;
    turns.push(session.submit("two"), session.submit("three"));
    await expect.poll(() => logText(platform.storage, CUT)).toContain('["two","three"]');
    held.resolve();
    await Promise.all(turns);
    await session.shutdown();
    await expectSameBytes(platform.storage);
  }));

it("resumes a session once, however many prompts are sent while it opens", () =>
  withHost(async ({ platform, cwd }) => {
    const before = sessionOf(platform, [{ text: "1" }], { cwd });
    await before.session.submit("one");
    await before.session.shutdown();
    const { session } = sessionOf(platform, [{ text: "2" }, { text: "3" }], { cwd });
    await Promise.all(["two", "three"].map((text) => session.submit(text)));
    const events = await ended(session);
    expect(events.filter(({ type }) => type === "session_resume")).toHaveLength(1);
    await session.shutdown();
    await expectSameBytes(platform.storage);
  }));
