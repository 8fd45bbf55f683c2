import { createQuery, InteractiveSession, Session } from "@robota/runtime";
import { type ModelDefinition } from "@robota/runtime/providers";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";

const own: ModelDefinition = {
  id: "house-1",
  name: "House 1",
  contextWindow: 1_000_000,
  maxOutput: 8_000,
};
const provider = (...script: ConstructorParameters<typeof ScriptedProvider>[0][number][]) =>
  Object.assign(new ScriptedProvider(script), { model: own.id });

describe("a session with custom models", () => {
  it("has their windows, unless another one is set", async () => {
    const given = { platform: memoryPlatform(), provider: provider(), models: [own] };
    for (const Kind of [Session, InteractiveSession]) {
      const session = new Kind(given);
      expect(session.getContextState().maxTokens).toBe(1_000_000);
      await session.shutdown();
    }
    const configured = new Session({ ...given, contextWindow: 5_000 });
    expect(configured.getContextState().maxTokens).toBe(5_000);
    const unknown = new Session({ ...given, models: [] });
    expect(unknown.getContextState().maxTokens).toBe(200_000);
    await configured.shutdown();
    await unknown.shutdown();
  });

  it("compacts by their windows", async () => {
    const small = { ...own, contextWindow: 1_000 };
    const script = provider({ text: "one" }, { text: "Short." }, { text: "two" });
    const session = new Session({
      platform: memoryPlatform(),
      provider: script,
      models: [small],
      tools: [],
    });
    await session.run("word ".repeat(380));
    await session.run("next");
    expect(script.requests).toHaveLength(3);
    expect(JSON.stringify(script.requests[2]?.messages)).toContain("[Context Summary]\\nShort.");
    await session.shutdown();
  });
});

describe("a compaction", () => {
  it("sends the newest images and files that a request can hold, and the names of the others", async () => {
    const asked = provider({ text: "one" }, { text: "two" }, { text: "three" }, { text: "Short." });
    const session = new Session({ platform: memoryPlatform(), provider: asked, tools: [] });
    for (const name of ["first.png", "second.png", "third.png"]) {
      const data = "A".repeat(4_000_000);
      const attachments = [{ type: "image", mediaType: "image/png", name, data }] as const;
      await session.runTurn({ input: name, attachments });
    }
    await session.compact();
    const [, ...parts] = (asked.requests[3]?.messages ?? []).flatMap(({ role, content }) =>
      role === "user" && typeof content !== "string" ? content.slice(1) : [],
    );
    expect(asked.requests[3]?.messages[0]?.content).toEqual([
      { type: "text", text: "first.png" },
      { type: "text", text: "[first.png]" },
    ]);
    expect(parts).toMatchObject([{ name: "second.png" }, { name: "third.png" }]);
    await session.shutdown();
  });

  it("of an empty conversation sends no request, and reports so", async () => {
    const asked = provider();
    const hooks: string[] = [];
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: asked,
      hooks: {
        PreCompact: [{ hooks: [{ type: "function", run: () => void hooks.push("asked") }] }],
      },
      onCompact: (summary) => hooks.push(summary),
    });
    const { before, after, isEmpty } = await session.compact();
    expect(isEmpty).toBe(true);
    expect(after).toBe(before);
    expect(await session.executeCommand("compact", "the names")).toEqual({
      success: true,
      message: "Nothing to summarise: the conversation is empty.",
      data: { before, after },
    });
    expect(asked.requests).toEqual([]);
    expect(hooks).toEqual([]);
    expect(session.getFullHistory()).toEqual([]);
    await session.shutdown();
  });

  it("excludes system messages from the summary, and keeps them in force", async () => {
    const script = provider({ text: "one" }, { text: "The gist." }, { text: "two" });
    const session = new Session({
      platform: memoryPlatform(),
      provider: script,
      systemMessage: "Never summarise this.",
    });
    await session.run("A story");
    await session.injectMessage("system", "Nor this.");
    await session.compact();
    await session.run("And then?");
    const [, summarising, after] = script.requests;
    expect(JSON.stringify(summarising?.messages)).not.toMatch(/Never summarise|Nor this/);
    expect(summarising?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(after?.messages[0]).toMatchObject({ role: "system", content: "Never summarise this." });
    expect(JSON.stringify(after?.messages)).toContain("[Context Summary]\\nThe gist.");
    await session.shutdown();
  });
});

describe("createQuery", () => {
  it("reports a compaction", async () => {
    const script = provider(
      {
        toolCalls: [{ name: "Read", args: { filePath: "/a" } }],
        // The window has 200,000 tokens.
        usage: { inputTokens: 180_000, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      },
      { text: "The gist." },
      { text: "Done." },
    );
    const platform = memoryPlatform();
    await platform.fs.writeFile("/a", "words");
    const query = createQuery({ provider: script, platform });
    const summaries: string[] = [];
    const answer = await query("Read it", { onCompact: (summary) => summaries.push(summary) });
    expect(answer).toBe("Done.");
    expect(summaries).toEqual(["The gist."]);
  });

  it("keeps an option of all calls when a call's own is undefined", async () => {
    const platform = memoryPlatform();
    const query = createQuery({
      provider: provider(
        { toolCalls: [{ name: "Write", args: { filePath: "/a", content: "words" } }] },
        { text: "Done." },
      ),
      platform,
      permissionMode: "bypassPermissions",
    });
    expect(await query("Write it", { permissionMode: undefined })).toBe("Done.");
    expect(new TextDecoder().decode(await platform.fs.readFile("/a"))).toBe("words");
  });

  it("answers concurrent calls separately, and aborts only the aborted one", async () => {
    const platform = memoryPlatform();
    const asked = new ScriptedProvider(
      Array.from(
        { length: 8 },
        () =>
          ({ messages }: { messages: readonly { content: unknown }[] }) => {
            const prompt = String(messages.at(-1)?.content);
            return prompt === "5"
              ? { text: "slow", delayMs: Infinity }
              : { deltas: [`<${prompt}`, ">"] };
          },
      ),
    );
    const query = createQuery({ provider: asked, platform });
    const shown = new Map<string, string>();
    const stop = new AbortController();
    const answers = Array.from({ length: 8 }, (_, index) => {
      const prompt = String(index);
      return query(prompt, {
        onTextDelta: (delta) => shown.set(prompt, (shown.get(prompt) ?? "") + delta),
        signal: index === 5 ? stop.signal : undefined,
      });
    });
    const settled = Promise.allSettled(answers);
    await Promise.all(answers.filter((_, index) => index !== 5));
    stop.abort();
    for (const [index, result] of (await settled).entries()) {
      if (index === 5) expect(result).toMatchObject({ reason: { name: "AbortError" } });
      else expect(result).toEqual({ status: "fulfilled", value: `<${index}>` });
      expect(shown.get(String(index))).toBe(index === 5 ? undefined : `<${index}>`);
    }
  });
});
