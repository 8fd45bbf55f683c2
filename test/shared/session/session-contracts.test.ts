import {
  type AssistantMessage,
  contentText,
  InteractiveSession,
  Session,
  StorageSessionLogger,
} from "@robota/runtime";
import { readSessionLog, validateSessionLog } from "@robota/runtime/log";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { afterCrash, echo, logText } from "../../support/support.ts";

const usage = { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 0, cacheWriteTokens: 0 };

it("clears the conversation and its token count, and keeps the system message", async () => {
  const platform = memoryPlatform();
  const provider = new ScriptedProvider([{ text: "one", usage }, { text: "two" }]);
  const session = new Session({ platform, provider, systemMessage: "Be brief." });
  await session.open();
  const fresh = session.getContextState();
  await session.run("A story");
  expect(session.getContextState().usedTokens).toBe(1_200);
  await session.clearHistory();
  expect(session.getHistory()).toEqual([]);
  expect(session.getContextState()).toEqual(fresh);
  await session.shutdown();

  const { sessionId } = session;
  const again = new Session({ platform, provider, sessionId, systemMessage: "Be brief." });
  await again.open();
  expect(again.getContextState()).toEqual(fresh);
  await again.run("Another");
  const sent = provider.requests[1]?.messages.map(({ content }) => contentText(content));
  expect(sent).toEqual(["Be brief.", "Another"]);
  await again.shutdown();
});

it("calls SessionEnd hooks once the end is durable", async () => {
  const platform = memoryPlatform();
  const found: { log: string; messages: number }[] = [];
  const session: Session = new Session({
    platform,
    provider: new ScriptedProvider([{ text: "one" }]),
    hooks: {
      SessionEnd: [
        {
          hooks: [
            {
              type: "function",
              run: async () => {
                const { sessionId } = session;
                const log = await logText(platform.storage, sessionId);
                const storage = await afterCrash(platform.storage, sessionId);
                const later = new Session({
                  platform: { ...platform, storage },
                  provider: new ScriptedProvider([]),
                  sessionId,
                });
                await later.open();
                found.push({ log, messages: later.getHistory().length });
                await later.shutdown();
              },
            },
          ],
        },
      ],
    },
  });
  await session.run("Hi");
  await session.shutdown({ reason: "logout" });
  expect(found.map(({ messages }) => messages)).toEqual([2]);
  const last: unknown = JSON.parse(found[0]?.log.trimEnd().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ type: "session_shutdown", reason: "logout" });
});

it("keeps a field of 32 KiB in its line of the log, and a longer one beside it", async () => {
  const { storage } = memoryPlatform();
  const logger = new StorageSessionLogger(storage);
  // The quotation marks count.
  for (const length of [32 * 1024 - 2, 32 * 1024 - 1])
    logger.log("s", "assistant", { content: "x".repeat(length) });
  await logger.flush();
  const keys = await storage.keys("logs/");
  expect(keys).toEqual([expect.stringMatching(/^logs\/s\.payloads\/[0-9a-f]{64}$/)]);
  let lines = "";
  for await (const { value } of storage.read("logs/s")) lines += new TextDecoder().decode(value);
  expect(lines).toContain(`"${"x".repeat(32 * 1024 - 2)}"`);
  expect(lines).toContain('"byteLength":32769');
  const { entries } = await readSessionLog(storage, "s");
  expect(entries.map(({ data }) => String(data["content"]).length)).toEqual([32_766, 32_767]);
});

it("denies changes in plan mode whatever rules allow, and lets them run without approval in the others", async () => {
  const call = { toolCalls: [{ name: "Write", args: { filePath: "/work/a", content: "a" } }] };
  for (const permissionMode of ["plan", "default"] as const) {
    const platform = memoryPlatform({ files: { "/work/": "" } });
    const session = new InteractiveSession({
      platform,
      cwd: "/work",
      provider: new ScriptedProvider([call, { text: "ok" }]),
      permissions: { allow: ["Write"] },
      permissionMode,
    });
    const { toolSummaries } = await session.submit("go");
    const written = await platform.fs.stat("/work/a").then(
      () => true,
      () => false,
    );
    expect([toolSummaries.length, written]).toEqual([1, permissionMode === "default"]);
    await session.shutdown();
  }
});

it("restores a resumed session's messages, for the person and the model", async () => {
  const platform = memoryPlatform();
  const provider = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
  const first = new InteractiveSession({ platform, provider });
  await first.submit("Hello");
  const before = first.getMessages();
  await first.shutdown();
  const { sessionId: resumeSessionId } = first;
  const resumed = new InteractiveSession({ platform, provider, resumeSessionId });
  await resumed.ready;
  expect(resumed.sessionId).toBe(resumeSessionId);
  expect(resumed.getMessages()).toEqual(before);
  await resumed.submit("Again");
  const said = provider.requests[1]?.messages.slice(1) ?? [];
  expect(said.map(({ role, content }) => [role, contentText(content)])).toEqual([
    ["user", "Hello"],
    ["assistant", "one"],
    ["user", "Again"],
  ]);
  await resumed.shutdown();
});

it("logs the provider calls of a summary", async () => {
  const platform = memoryPlatform();
  const { storage } = platform;
  const session = new Session({
    platform,
    provider: new ScriptedProvider([{ text: "one" }, { text: "The gist." }, { error: "down" }]),
    logger: new StorageSessionLogger(storage),
    systemMessage: "Be brief.",
  });
  await session.run("A story");
  await session.compact("the names");
  await expect(session.compact()).rejects.toMatchObject({ code: "COMPACTION_FAILED" });
  await session.shutdown();
  const { entries } = await readSessionLog(storage, session.sessionId);
  const summaries = entries.filter(({ data }) =>
    String(data["executionId"]).endsWith("/compaction"),
  );
  expect(summaries.map(({ event, data }) => [event, data["round"]])).toEqual([
    ["provider_request", 1],
    ["provider_native_raw_payload", 1],
    ["provider_response_raw", 1],
    ["provider_response_normalized", 1],
    ["provider_request", 2],
    ["error", 2],
  ]);
  const request = JSON.stringify(summaries[0]?.data["messages"]);
  expect(request).toContain("A story");
  expect(request).toContain("the names");
  expect(request).not.toContain("Be brief.");
  expect(summaries[3]?.data).toMatchObject({ message: { content: "The gist." } });
  expect(await validateSessionLog(storage, session.sessionId)).toEqual([]);
});

it("reports that a call to an unknown tool was not run, with the known tools", async () => {
  const provider = new ScriptedProvider([
    { toolCalls: [{ id: "c", name: "nowhere", args: {} }] },
    { text: "ok" },
  ]);
  const session = new Session({ platform: memoryPlatform(), provider, tools: [echo] });
  await session.run("go");
  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
    role: "tool",
    errorCode: "unknown_tool",
    content: 'There is no tool "nowhere", so the call was not run. Tools: echo.',
  });
  await session.shutdown();
});

it("logs an answer as the provider gave it, and as it was added to the conversation", async () => {
  const platform = memoryPlatform();
  const { storage } = platform;
  const given: AssistantMessage = {
    role: "assistant",
    id: "msg_theirs",
    timestamp: new Date(1_000),
    content: "one",
    state: "complete",
    provider: "theirs",
    model: "theirs-1",
  };
  const session = new Session({
    platform,
    provider: {
      name: "theirs",
      model: "theirs-1",
      chat: () => Promise.resolve(given),
      async *chatStream() {
        yield { type: "message", message: given };
      },
    },
    logger: new StorageSessionLogger(storage),
  });
  await session.run("go");
  const [, answer] = session.getHistory();
  await session.shutdown();
  const { entries } = await readSessionLog(storage, session.sessionId);
  const dataOf = (name: string): unknown => entries.find(({ event }) => event === name)?.data;
  expect(dataOf("provider_response_raw")).toMatchObject({
    responseKind: "message",
    response: { id: "msg_theirs", timestamp: "1970-01-01T00:00:01.000Z", content: "one" },
  });
  expect(answer?.id).not.toBe("msg_theirs");
  expect(dataOf("provider_response_normalized")).toMatchObject({ message: { id: answer?.id } });
  expect(await validateSessionLog(storage, session.sessionId)).toEqual([]);
});
