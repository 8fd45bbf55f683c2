import { describe, expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { StorageError } from "../errors.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { MemoryStorage } from "../virtual/memory-storage.ts";
import {
  ConversationHistoryPlugin,
  type ConversationRecord,
} from "./conversation-history-plugin.ts";
import { SilentLogger } from "./logger.ts";
import { StorageRecordStore } from "./records/storage-record-store.ts";

const echo = createFunctionTool("echo", "Says it again", { type: "object" }, async ({ text }) =>
  String(text),
);
const callsEcho = { toolCalls: [{ id: "1", name: "echo", args: { text: "hm", apiKey: "x" } }] };

describe("a history of conversations", () => {
  it("records messages and tool calls, in order", async () => {
    let time = 0;
    const history = new ConversationHistoryPlugin({
      conversationId: () => "talk",
      now: () => (time += 1),
    });
    const agent = new Robota({
      provider: new ScriptedProvider([callsEcho, { text: "done" }, { error: "down" }]),
      tools: [echo],
      plugins: [history],
    });
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    await agent.run([{ type: "text", text: "go" }, image]);
    await agent.run("again");

    const records = await history.conversation("talk");
    expect(records).toMatchObject([
      { time: 1, role: "user", text: "go", attachments: ["image/png"] },
      {
        time: 2,
        role: "tool",
        toolCallId: "1",
        tool: "echo",
        args: { text: "hm", apiKey: "[REDACTED]" },
        text: "hm",
        failed: false,
      },
      { time: 3, role: "assistant", text: "done", state: "complete" },
      { time: 4, role: "user", text: "again", attachments: [] },
      {
        time: 5,
        role: "error",
        text: "",
        error: { code: "PROVIDER_ERROR", message: "down" },
      },
    ]);
    expect(new Set(records.map(({ runId }) => runId)).size).toBe(2);
    expect(await history.conversations()).toEqual([
      { conversationId: "talk", records: 5, startedAt: 1, updatedAt: 5 },
    ]);
    expect(await history.conversation("another")).toEqual([]);
  });

  it("separates the conversations of two agents that share it", async () => {
    const history = new ConversationHistoryPlugin();
    const agentOf = (text: string): Robota =>
      new Robota({
        provider: new ScriptedProvider([{ deltas: [text, "!"], delayMs: 5 }]),
        plugins: [history],
      });
    await Promise.all(["a", "b"].map((text) => agentOf(text).run(text)));
    const conversations = await history.conversations();
    const texts = await Promise.all(
      conversations.map(async ({ conversationId }) =>
        (await history.conversation(conversationId)).map(({ text }) => text),
      ),
    );
    expect(texts.map(String).toSorted()).toEqual(["a,a!", "b,b!"]);
  });

  it("is stored at the end of a run, survives a crash, and holds no secrets", async () => {
    const storage = new MemoryStorage();
    const history = new ConversationHistoryPlugin({
      storage: new StorageRecordStore<ConversationRecord>(storage, "history"),
      conversationId: () => "c",
      secrets: ["correct horse"],
    });
    const agent = new Robota({
      provider: new ScriptedProvider([{ text: "I keep sk-proj-abcdefgh12" }]),
      plugins: [history],
    });
    await agent.run("It is correct horse");
    // The first plugin was neither flushed nor disposed, as in a crash.
    const left = new ConversationHistoryPlugin({
      storage: new StorageRecordStore(new MemoryStorage({ sharedWith: storage }), "history"),
    });
    const texts = (await left.conversation("c")).map(({ text }) => text);
    expect(texts).toEqual(["It is [REDACTED]", "I keep [REDACTED]"]);
  });

  it("reports a failed write, without affecting the run", async () => {
    const storage = new MemoryStorage();
    storage.append = () => Promise.reject(new StorageError("FULL", "no space"));
    const history = new ConversationHistoryPlugin({
      storage: new StorageRecordStore(storage, "history", { logger: new SilentLogger() }),
    });
    const reported: string[] = [];
    const agent = new Robota({
      provider: new ScriptedProvider([{ text: "ok" }]),
      plugins: [history],
      onPluginError: ({ message }) => reported.push(message),
    });
    expect(await agent.run("go")).toMatchObject({ text: "ok" });
    await agent.dispose();
    expect(reported).toEqual([
      "The plugin conversation-history failed in afterRun: no space",
      "The plugin conversation-history failed in dispose: The record store history lost 2 entries that it could not deliver",
    ]);
  });
});
