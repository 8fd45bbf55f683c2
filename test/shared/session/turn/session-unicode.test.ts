import {
  contentText,
  createFunctionTool,
  type Message,
  type Provider,
  Session,
  type SessionEvent,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { until } from "../../../support/support.ts";

/** A family of four joined to one sign, a flag, a word to be read from the right, NUL, and marks that turn the direction. */
const HARD = "👩‍👩‍👧‍👦 🇳🇱 שלום \u0000 \u202Eabc\u202C é";
const HALF = "\uD83D";

const allWellFormed = (value: unknown): boolean => {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && allWellFormed(inner));
};

describe("a session's text", () => {
  it("is joined exactly when every delta is half a character, and reloads unchanged", async () => {
    const storage = new MemoryStorage();
    const open = (provider: Provider): Session =>
      new Session({ platform: memoryPlatform({ storage }), provider, sessionId: "s" });
    const session = open(new ScriptedProvider([{ deltas: HARD.split("") }]));
    let streamed = "";
    session.subscribe((event) => {
      if (event.type === "text_delta") streamed += event.delta;
    });
    expect(await session.run(HARD)).toBe(HARD);
    expect(streamed).toBe(HARD);
    await session.shutdown();

    const provider = new ScriptedProvider([{ text: "ok" }]);
    const again = open(provider);
    await again.run("again");
    const sent = provider.requests[0]?.messages.filter(({ role }) => role !== "system") ?? [];
    expect(sent.map(({ content }) => contentText(content))).toEqual([HARD, HARD, "again"]);
    await again.shutdown();
  });

  it("is kept without half a character when a turn is aborted inside of one", async () => {
    const seen: Message[][] = [];
    const halved: Provider = {
      name: "halved",
      model: "halved-1",
      chat: () => Promise.reject(new Error("not used")),
      async *chatStream(messages, { signal } = {}) {
        seen.push([...messages]);
        if (seen.length > 1) throw new Error("enough");
        yield { type: "text_delta", delta: `a😀${HALF}` };
        await new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
      },
    };
    const session = new Session({ platform: memoryPlatform(), provider: halved });
    const events: SessionEvent[] = [];
    session.subscribe((event) => void events.push(event));
    const turn = session.run(`b${HALF}`);
    await until(() => events.some(({ type }) => type === "text_delta"));
    session.abort();
    await expect(turn).rejects.toMatchObject({ name: "AbortError" });
    await expect(session.run("go on")).rejects.toThrow("enough");
    expect(seen).toHaveLength(2);
    expect(seen.every((messages) => allWellFormed(messages.map(({ content }) => content)))).toBe(
      true,
    );
    expect(contentText(seen[1]?.find(({ role }) => role === "assistant")?.content ?? "")).toBe(
      "a😀\uFFFD",
    );
    await session.shutdown();
  });

  it("is truncated between characters", async () => {
    const smiles = "😀".repeat(40_000);
    // Every cut falls on the other half of a character in one of the two.
    for (const text of [smiles, `x${smiles}`]) {
      const long = createFunctionTool("long", "Much", { type: "object" }, () => text);
      const provider = new ScriptedProvider([
        {
          toolCalls: [
            {
              id: "1",
              name: "long",
              args: { text: text.slice(0, text.length % 2 === 0 ? 300 : 301) },
            },
          ],
        },
        { text: "ok" },
      ]);
      const session = new Session({
        platform: memoryPlatform(),
        provider,
        tools: [long],
        permissionMode: "bypassPermissions",
        contextWindow: 1_000_000,
      });
      const events: SessionEvent[] = [];
      session.subscribe((event) => void events.push(event));
      await session.run("go");
      const result = contentText(provider.requests[1]?.messages.at(-1)?.content ?? "");
      expect(result).toMatch(/characters left out/);
      expect(allWellFormed(events)).toBe(true);
      const firstArg = events.flatMap((event) =>
        event.type === "tool_start" ? [event.firstArg] : [],
      );
      for (const cut of [result, ...firstArg]) expect(cut).not.toContain("\uFFFD");
      await session.shutdown();
    }
  });
});
