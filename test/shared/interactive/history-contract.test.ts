import {
  chatEntryToMessage,
  getMessagesForAPI,
  type HistoryEntry,
  InteractiveSession,
  type InteractiveSessionOptions,
  isChatEntry,
  type Message,
  messageToHistoryEntry,
} from "@robota/runtime";
import type { ToolState } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import type { Host } from "../../hosts/host.ts";
import { withHost } from "#host";
import { describe, expect, it } from "vitest";
import { echo, echoCall, roles } from "../../support/support.ts";

type Steps = ConstructorParameters<typeof ScriptedProvider>[0];

const ECHO_TURN: Steps = [
  { deltas: ["Let me ", "see"], toolCalls: [echoCall("x")], usage: { inputTokens: 1_000 } },
  { deltas: ["do", "ne"], usage: { inputTokens: 2_500 } },
];

/** Runs `use` with a session of this host that has the tool `echo` and plays these steps. */
function withSession(
  steps: Steps,
  use: (session: InteractiveSession, host: Host) => Promise<void>,
  options: Partial<InteractiveSessionOptions> = {},
): Promise<void> {
  return withHost(async (host) => {
    await using session = new InteractiveSession({
      ...host,
      provider: new ScriptedProvider(steps),
      tools: [echo],
      permissions: { allow: ["echo"] },
      ...options,
    });
    await use(session, host);
  });
}

const eventsOf = (session: InteractiveSession, type: string): HistoryEntry[] =>
  session.getFullHistory().filter((entry) => entry.category === "event" && entry.type === type);

describe("the history of an interactive session", () => {
  it("S-211: is messages only for getMessages, and everything for getFullHistory", () =>
    withSession(ECHO_TURN, async (session) => {
      await session.submit("go");
      expect(roles(session.getMessages())).toEqual(["user", "assistant", "tool", "assistant"]);
      const full = session.getFullHistory();
      expect(full.length).toBeGreaterThan(4);
      const chat = full.filter(({ category }) => category === "chat");
      expect(chat.map(({ data }) => data)).toEqual(session.getMessages());
      expect(new Set(full.map(({ category }) => category))).toEqual(new Set(["chat", "event"]));
    }));

  it("S-227: consists of entries with id, timestamp, category, type and data", () =>
    withSession(ECHO_TURN, async (session) => {
      await session.submit("go");
      const full = session.getFullHistory();
      for (const entry of full) {
        expect(entry).toEqual({
          id: expect.any(String),
          seq: expect.any(Number),
          timestamp: expect.any(Date),
          category: expect.stringMatching(/^(?:chat|event)$/),
          type: expect.any(String),
          data: expect.anything(),
        });
      }
      expect(new Set(full.map(({ id }) => id)).size).toBe(full.length);
    }));

  it("S-228: has an entry for each start and each end of a tool", () =>
    withSession(ECHO_TURN, async (session) => {
      await session.submit("go");
      const call = { toolName: "echo", firstArg: "x" };
      const [start, ...otherStarts] = eventsOf(session, "tool-start");
      const [end, ...otherEnds] = eventsOf(session, "tool-end");
      expect(start?.data).toMatchObject({ ...call, isRunning: true });
      expect(start?.data).not.toHaveProperty("result");
      expect(end?.data).toMatchObject({ ...call, isRunning: false, result: "success" });
      expect([...otherStarts, ...otherEnds]).toEqual([]);
    }));

  it("S-229: has a tool summary after each execution with tools", () =>
    withSession([...ECHO_TURN, { text: "Nothing to do" }], async (session) => {
      const { toolSummaries } = await session.submit("go");
      expect(toolSummaries).toEqual([{ toolName: "echo", firstArg: "x", result: "success" }]);
      expect(eventsOf(session, "tool-summary").map(({ data }) => data)).toEqual([
        { toolSummaries },
      ]);
      const types = session.getFullHistory().map(({ type }) => type);
      expect(types.indexOf("tool-summary")).toBeGreaterThan(types.lastIndexOf("tool-end"));
      await session.submit("and now?");
      expect(eventsOf(session, "tool-summary")).toHaveLength(1);
    }));

  it("S-231: converts between entries and messages, keeping the order", () => {
    const message: Message = { id: "m1", timestamp: new Date(1), role: "user", content: "Hi" };
    const reply: Message = { id: "m2", timestamp: new Date(3), role: "user", content: "Again" };
    const event: HistoryEntry = {
      id: "e1",
      seq: 2,
      timestamp: new Date(2),
      category: "event",
      type: "tool-summary",
      data: { toolSummaries: [] },
    };
    const entry = messageToHistoryEntry(message);
    expect(entry).toMatchObject({ id: "m1", category: "chat", type: "user", data: message });
    expect(entry.timestamp).toEqual(message.timestamp);
    expect([isChatEntry(entry), isChatEntry(event)]).toEqual([true, false]);
    if (isChatEntry(entry)) expect(chatEntryToMessage(entry)).toBe(message);
    const history = [messageToHistoryEntry(reply), event, entry];
    expect(getMessagesForAPI(history)).toEqual([reply, message]);
  });
});

describe("the live state of an interactive session", () => {
  it("S-212: has the context window, the text so far and the running tools", () =>
    withSession(
      ECHO_TURN,
      async (session) => {
        expect(session.getContextState()).toMatchObject({ maxTokens: 10_000 });
        expect([session.getStreamingText(), session.getActiveTools()]).toEqual(["", []]);
        const texts: string[] = [];
        const active: ToolState[][] = [];
        session.on("text_delta", () => texts.push(session.getStreamingText()));
        session.on("tool_start", () => active.push(session.getActiveTools()));
        session.on("tool_end", () => active.push(session.getActiveTools()));
        await session.submit("go");
        expect(texts.slice(0, 2)).toEqual(["Let me ", "Let me see"]);
        expect(texts.at(-1)).toMatch(/done$/);
        const running = { toolName: "echo", firstArg: "x", isRunning: true };
        expect(active).toMatchObject([[running], []]);
        expect(active[0]).toHaveLength(1);
        expect(session.getContextState()).toMatchObject({
          usedTokens: 2_500,
          maxTokens: 10_000,
          usedPercentage: 25,
        });
        expect([session.getStreamingText(), session.getActiveTools()]).toEqual(["", []]);
      },
      { contextWindow: 10_000 },
    ));

  it("S-214: ends with the response, the history, the tools and the window", () =>
    withSession(ECHO_TURN, async (session) => {
      const ends: unknown[] = [];
      session.on("complete", (result) => ends.push(result));
      const result = await session.submit("go");
      expect(ends).toEqual([result]);
      expect(result.response).toBe("done");
      expect(result.history).toEqual(session.getFullHistory());
      expect(result.toolSummaries).toEqual([
        { toolName: "echo", firstArg: "x", result: "success" },
      ]);
      expect(result.contextState).toEqual(session.getContextState());
    }));
});

describe("S-213: the state of a tool", () => {
  it.each([
    ["80 characters as they are", "a".repeat(80), "a".repeat(80)],
    [
      "longer ones by their first 47 and their last 30",
      `${"a".repeat(47)}${"b".repeat(50)}${"c".repeat(30)}`,
      `${"a".repeat(47)}...${"c".repeat(30)}`,
    ],
  ])("shows the first argument in 80 characters: %s", async (_, text, shown) => {
    const steps = [{ toolCalls: [echoCall(text, "1")] }, { text: "done" }];
    await withSession(steps, async (session) => {
      const states: ToolState[] = [];
      session.on("tool_start", (state) => states.push(state));
      session.on("tool_end", (state) => states.push(state));
      await session.submit("go");
      expect(states.map(({ firstArg }) => firstArg)).toEqual([shown, shown]);
      expect(shown).toHaveLength(80);
    });
  });

  it("ends as success, error or denied", () => {
    const toolCalls = [
      echoCall("fine"),
      { id: "wrong", name: "echo", args: { text: 1 } },
      { id: "no", name: "Bash", args: { command: "touch made" } },
    ];
    return withSession(
      [{ toolCalls }, { text: "done" }],
      async (session) => {
        const { toolSummaries } = await session.submit("go");
        const results = toolSummaries.map(({ toolName, result }) => `${toolName}: ${result}`);
        expect(new Set(results)).toEqual(new Set(["Bash: denied", "echo: error", "echo: success"]));
        const ended = eventsOf(session, "tool-end").map(({ data }) => (data as ToolState).result);
        expect(new Set(ended)).toEqual(new Set(["denied", "error", "success"]));
      },
      { permissions: { allow: ["echo"], deny: ["Bash"] } },
    );
  });

  it("has the file and the changed lines of an edit, with three lines of context", () => {
    const lines = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`);
    const file = (cwd: string): string => `${cwd}/notes.txt`;
    return withHost(async ({ platform, cwd }) => {
      await platform.fs.writeFile(file(cwd), `${lines.join("\n")}\n`);
      const change = { filePath: file(cwd), oldString: "line 5", newString: "line five" };
      const provider = new ScriptedProvider([
        { toolCalls: [{ id: "r", name: "Read", args: { filePath: file(cwd) } }] },
        { toolCalls: [{ id: "e", name: "Edit", args: change }] },
        { text: "done" },
      ]);
      const permissionMode = "acceptEdits";
      await using session = new InteractiveSession({ platform, cwd, provider, permissionMode });
      const ended: ToolState[] = [];
      session.on("tool_end", (state) => ended.push(state));
      await session.submit("go");
      const [read, edit] = ended;
      expect([read?.diffFile, read?.diffLines]).toEqual([undefined, undefined]);
      expect(edit).toMatchObject({ toolName: "Edit", result: "success", diffFile: file(cwd) });
      const context = (lineNumber: number): object => ({
        type: "context",
        text: `line ${lineNumber}`,
        lineNumber,
      });
      expect(edit?.diffLines).toEqual([
        ...[2, 3, 4].map(context),
        { type: "remove", text: "line 5", lineNumber: 5 },
        { type: "add", text: "line five", lineNumber: 5 },
        ...[6, 7, 8].map(context),
      ]);
    });
  });

  it("numbers removed lines as in the old file and all others as in the new one", () =>
    withHost(async ({ platform, cwd }) => {
      const filePath = `${cwd}/notes.txt`;
      await platform.fs.writeFile(filePath, "one\ntwo\nthree\nfour\n");
      const args = { filePath, content: "zero\none\ntwo\nthree\n" };
      const provider = new ScriptedProvider([
        { toolCalls: [{ id: "r", name: "Read", args: { filePath } }] },
        { toolCalls: [{ id: "w", name: "Write", args }] },
        { text: "done" },
      ]);
      const permissionMode = "acceptEdits";
      await using session = new InteractiveSession({ platform, cwd, provider, permissionMode });
      const ended: ToolState[] = [];
      session.on("tool_end", (state) => ended.push(state));
      await session.submit("go");
      expect(ended[1]?.diffLines).toEqual([
        { type: "add", text: "zero", lineNumber: 1 },
        { type: "context", text: "one", lineNumber: 2 },
        { type: "context", text: "two", lineNumber: 3 },
        { type: "context", text: "three", lineNumber: 4 },
        { type: "remove", text: "four", lineNumber: 4 },
      ]);
    }));

  it("has all lines of a new file, with numbers", () =>
    withHost(async ({ platform, cwd }) => {
      const args = { filePath: `${cwd}/new.txt`, content: "one\ntwo" };
      const provider = new ScriptedProvider([
        { toolCalls: [{ id: "w", name: "Write", args }] },
        { text: "done" },
      ]);
      const permissionMode = "acceptEdits";
      await using session = new InteractiveSession({ platform, cwd, provider, permissionMode });
      const ended: ToolState[] = [];
      session.on("tool_end", (state) => ended.push(state));
      await session.submit("go");
      expect(ended[0]).toMatchObject({ result: "success", diffFile: `${cwd}/new.txt` });
      expect(ended[0]?.diffLines).toEqual([
        { type: "add", text: "one", lineNumber: 1 },
        { type: "add", text: "two", lineNumber: 2 },
      ]);
    }));
});
