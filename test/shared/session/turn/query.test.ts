import { withHost } from "#host";
import { contentText, createQuery, listSessions } from "@robota/runtime";
import type { QueryFormat } from "@robota/runtime/sessions";
import { ScriptedProvider, type ScriptedReply } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, expectTypeOf, it } from "vitest";
import * as z from "zod";

const files = z.object({ files: z.array(z.string()) });

/** Answers each call by its prompt, so that the order of calls does not matter. */
function answering(answer: (prompt: string) => ScriptedReply, calls: number): ScriptedProvider {
  return new ScriptedProvider(
    Array.from({ length: calls }, () => ({ messages, options }) => {
      const asked = messages.findLast(({ role }) => role === "user");
      const reply = answer(asked ? contentText(asked.content) : "");
      return typeof reply === "function" ? reply({ messages, options }) : reply;
    }),
  );
}

it("answers in three lines, each call in its own session, any number concurrently", async () => {
  await withHost(async ({ platform, cwd }) => {
    const provider = answering((prompt) => ({ deltas: ["re: ", prompt] }), 3);
    const query = createQuery({ provider, platform, cwd });
    const deltas: string[] = [];
    const answers = await Promise.all([
      query("one", { onTextDelta: (delta) => deltas.push(delta) }),
      query("two"),
      query("three"),
    ]);
    expect(answers).toEqual(["re: one", "re: two", "re: three"]);
    expect(deltas).toEqual(["re: ", "one"]);
    for (const { messages } of provider.requests)
      expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
    const sessions = await listSessions(platform.storage);
    expect(sessions.map(({ preview }) => preview).toSorted()).toEqual(["one", "three", "two"]);
  });
});

it("denies calls without approval by default, and accepts options per call", async () => {
  await withHost(async ({ platform, cwd }) => {
    const write = (): ScriptedReply => ({
      toolCalls: [{ name: "Write", args: { filePath: `${cwd}/a.txt`, content: "a" } }],
    });
    const provider = new ScriptedProvider([
      write(),
      { text: "denied" },
      write(),
      { text: "written" },
    ]);
    const query = createQuery({ provider, platform });
    expect(await query("Go", { cwd })).toBe("denied");
    await expect(platform.fs.readFile(`${cwd}/a.txt`)).rejects.toThrow();
    expect(await query("Go", { cwd, permissionMode: "acceptEdits", maxTurns: 1 })).toBe("written");
    expect(new TextDecoder().decode(await platform.fs.readFile(`${cwd}/a.txt`))).toBe("a");
    // The last round of a limited number is asked for words alone.
    expect(provider.requests.at(-1)?.options.tools ?? []).toEqual([]);
  });
});

it("accepts the options of a session, and stores none that is not kept", async () => {
  await withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([
      { toolCalls: [{ name: "Write", args: { filePath: `${cwd}/a.txt`, content: "a" } }] },
      { text: "written" },
    ]);
    const query = createQuery({ provider, platform, cwd, keep: false });
    const answer = await query("Go", {
      permissions: { allow: ["Write"] },
      systemPrompt: "Be brief.",
      builtInTools: ["Write"],
      mcpServers: {},
      budget: { tokens: 1_000_000 },
      providerTimeout: 60_000,
    });
    expect(answer).toBe("written");
    expect(new TextDecoder().decode(await platform.fs.readFile(`${cwd}/a.txt`))).toBe("a");
    const [request] = provider.requests;
    expect(request?.options.tools?.map(({ name }) => name)).toEqual(["Write"]);
    expect(contentText(request?.messages[0]?.content ?? "")).toContain("Be brief.");
    expect(await listSessions(platform.storage)).toEqual([]);
  });
});

it("ends when its signal aborts, before and while it runs", async () => {
  const stop = new AbortController();
  const provider = new ScriptedProvider([{ text: "late", delayMs: Infinity }]);
  const query = createQuery({ provider, platform: memoryPlatform() });
  const running = query("Go", { signal: stop.signal });
  while (provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  stop.abort();
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
  await expect(query("Go", { signal: stop.signal })).rejects.toMatchObject({ name: "AbortError" });
});

it("ends when its signal aborts right after the call, also with a format", async () => {
  const provider = new ScriptedProvider([{ text: '{"files":[]}' }, { text: "late" }]);
  const query = createQuery({ provider, platform: memoryPlatform() });
  for (const responseFormat of [files, undefined]) {
    const stop = new AbortController();
    const { signal } = stop;
    const running = responseFormat
      ? query("Go", { responseFormat, signal })
      : query("Go", { signal });
    stop.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
  }
  expect(provider.requests).toEqual([]);
});

it("returns the summary of a compaction as a text", async () => {
  const summaries: string[] = [];
  const usage = { inputTokens: 190_000, outputTokens: 10 };
  const call = { name: "Glob", args: { pattern: "*" } };
  const provider = new ScriptedProvider([
    { toolCalls: [call], usage },
    { text: "A summary" },
    { text: "done" },
  ]);
  const query = createQuery({
    provider,
    platform: memoryPlatform(),
    onCompact: (summary) => {
      expectTypeOf(summary).toBeString();
      summaries.push(summary);
    },
  });
  expect(await query("Go")).toBe("done");
  expect(summaries).toEqual(["A summary"]);
});

it("resolves to the value that a schema describes", async () => {
  await withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ text: '{"files":["a.ts"]}' }]);
    const query = createQuery({ provider, platform, cwd });
    const answer = await query("Which files?", { responseFormat: files });
    expectTypeOf(answer).toEqualTypeOf<{ files: string[] }>();
    expect(answer).toEqual({ files: ["a.ts"] });
    expect(provider.requests[0]?.options.responseFormat).toMatchObject({
      name: "response",
      schema: { type: "object", required: ["files"] },
    });
    // A query without a format stays a text.
    expectTypeOf((prompt: string) => query(prompt)).returns.resolves.toBeString();
  });
});

it("lets the model correct an answer once, by zod or by JSON Schema, and then rejects", async () => {
  const schema: QueryFormat<{ files: string[] }> = {
    type: "object",
    properties: { files: { type: "array", items: { type: "string" } } },
    required: ["files"],
  };
  for (const responseFormat of [files, schema]) {
    const provider = new ScriptedProvider([
      { text: '{"files":[1]}' },
      { text: '{"files":["b.ts"]}' },
      { text: "no" },
      { text: "still no" },
    ]);
    const query = createQuery({ provider, platform: memoryPlatform() });
    expect(await query("Go", { responseFormat })).toEqual({ files: ["b.ts"] });
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain("/files/0");
    await expect(query("Go", { responseFormat })).rejects.toMatchObject({
      code: "RESPONSE_FORMAT",
    });
  }
});
