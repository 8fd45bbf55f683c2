import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message, ToolCall, ToolMessage } from "../../messages/message.ts";
import { contentText } from "../../messages/message.ts";
import type { ChatOptions, ProviderEvent, ToolSchema } from "../provider.ts";
import { SUMMARY_REQUEST } from "../../messages/summary-request.ts";
import { OfflineProvider } from "./offline-provider.ts";
import { turnClock } from "../../../../../test/support/time/own-time.ts";

const names = ["Glob", "Read", "Grep", "Write", "Edit", "Bash", "WebFetch", "WebSearch", "Agent"];
const tools: ToolSchema[] = names.map((name) => ({
  name,
  description: name,
  parameters: { type: "object" },
}));

let ids = 0;
const provider = new OfflineProvider({ now: () => 1_000, randomUUID: () => `id-${(ids += 1)}` });
const at = { timestamp: new Date(0) };
const user = (content: string): Message => ({ role: "user", id: `u${(ids += 1)}`, ...at, content });
const result = (call: ToolCall, content: string, facts: Partial<ToolMessage> = {}): Message => ({
  role: "tool",
  id: `r-${call.id}`,
  ...at,
  toolCallId: call.id,
  name: call.name,
  content,
  ...facts,
});
const ask = (messages: Message[], options: ChatOptions = { tools }): Promise<AssistantMessage> =>
  provider.chat(messages, options);
const words = (message: AssistantMessage): string => contentText(message.content);

/** Carries the script through; `answer` plays the tools. */
async function run(
  text: string,
  answer: (call: ToolCall) => [content: string, facts?: Partial<ToolMessage>] = () => ["ok"],
  history: Message[] = [],
): Promise<{ calls: ToolCall[]; text: string; messages: Message[] }> {
  // Copies with the same content, as a log would return them.
  let messages: Message[] = [...history, user(text)];
  const calls: ToolCall[] = [];
  let said = "";
  for (let round = 0; round < 20; round += 1) {
    const message = await ask(structuredClone(messages));
    said += words(message);
    messages = [...messages, message];
    const [call, ...others] = message.toolCalls ?? [];
    expect(others).toEqual([]);
    if (!call) return { calls, text: said, messages };
    calls.push(call);
    messages.push(result(call, ...answer(call)));
  }
  throw new Error("the script does not end");
}

describe("the offline provider", () => {
  it("calls the tools of the commands, one after the other", async () => {
    const lines = [
      "list *.md",
      "read a.md",
      "find a.b in src/**",
      "write b.md: hi",
      "replace x with y in b.md",
      "run echo hi",
      "fetch https://example.com/",
      "search web tabs",
      "delegate Explore: list",
    ];
    const { calls } = await run(lines.join("\n"));
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ["Glob", { pattern: "*.md" }],
      ["Read", { filePath: "a.md" }],
      ["Grep", { pattern: "a\\.b", outputMode: "content", glob: "src/**" }],
      ["Write", { filePath: "b.md", content: "hi\n" }],
      ["Edit", { filePath: "b.md", oldString: "x", newString: "y" }],
      ["Bash", { command: "echo hi" }],
      ["WebFetch", { url: "https://example.com/" }],
      ["WebSearch", { query: "tabs" }],
      ["Agent", { subagent_type: "Explore", prompt: "list" }],
    ]);
  });

  it("reads a file before it changes it", async () => {
    const { calls } = await run("replace x with y in c.md\nreplace y with z in c.md");
    expect(calls.map(({ name }) => name)).toEqual(["Read", "Edit", "Edit"]);
  });

  it("reports only the tools' results", async () => {
    const { text } = await run("read a.md", () => ["first\nsecond"]);
    expect(text).toBe("Output of `read a.md`:\n```\nfirst\nsecond\n```");
  });

  it("truncates long outputs and escapes code fences in them", async () => {
    const output = Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n");
    expect((await run("run seq", () => [output])).text).toContain("… and 20 more lines.");
    expect((await run("read a.md", () => ["```js\n```"])).text).toContain("````\n```js");
  });

  it("reports failures, and continues", async () => {
    const { calls, text } = await run("read no.md\nlist", ({ name }) =>
      name === "Read" ? ["ENOENT: no such file", { isError: true, errorCode: "ENOENT" }] : ["a.md"],
    );
    expect(text).toContain("`read no.md` failed:\n```\nENOENT: no such file\n```");
    expect(calls).toHaveLength(2);
  });

  it("stops after a denial, and names the skipped steps", async () => {
    const { calls, text } = await run("write a.md: x\nrun sh a.md\nlist", () => [
      "Permission denied. Reason: not today",
      { isError: true, errorCode: "permission_denied" },
    ]);
    expect(calls).toHaveLength(1);
    expect(text).toContain("`write a.md: x` was denied. I won't try anything else.");
    expect(text).toContain("not today");
    expect(text).toContain("Not run:\n- `run sh a.md`\n- `list`");
  });

  it("does not repeat a call with an unknown outcome", async () => {
    const { calls, text } = await run("run deploy", () => [
      "?",
      { isError: true, errorCode: "unknown_outcome" },
    ]);
    expect(calls).toHaveLength(1);
    expect(text).toContain("its outcome is unknown");
  });

  it("continues after a block by a hook", async () => {
    const { calls, text } = await run("run rm x\nlist", ({ name }) =>
      name === "Bash" ? ["no rm", { isError: true, errorCode: "hook_blocked" }] : ["a"],
    );
    expect(calls).toHaveLength(2);
    expect(text).toContain("was blocked by a hook");
  });

  it("names a missing tool, and executes the rest", async () => {
    const message = await ask([user("run ls\nread a.md")], {
      tools: tools.filter(({ name }) => name === "Read"),
    });
    expect(words(message)).toContain(
      "`run ls` needs the tool Bash, which this session does not have.",
    );
    expect(message.toolCalls).toMatchObject([{ name: "Read" }]);
  });

  it("shows a plan and executes its commands", async () => {
    const { calls, text } = await run("plan list; think; read a.md");
    expect(text).toContain("Plan:\n1. list\n2. think (a note: no command)\n3. read a.md");
    expect(calls.map(({ name }) => name)).toEqual(["Glob", "Read"]);
  });

  it.each(["please fix the bug", "list\nmake it nice"])(
    "does not guess the meaning of %j",
    async (text) => {
      const message = await ask([user(text)]);
      expect(words(message)).toContain("I'm a script, I don't understand free text.");
      expect(words(message)).toContain("Closest commands:");
      expect(message.toolCalls).toBeUndefined();
    },
  );

  it("lists its commands", async () => {
    expect(words(await ask([user("help")]))).toContain("`replace <old> with <new> in <path>`");
  });

  it("asks a question, and continues with the answer", async () => {
    const first = await run("ask me Which file?: a.md|b.md\nread a.md\nask me Sure?: yes|no\nlist");
    expect(first.text).toBe("Which file?\n1. a.md\n2. b.md");
    const unclear = await run("the third", undefined, first.messages);
    expect(unclear.text).toBe(
      '"the third" is not one of the choices.\n\nWhich file?\n1. a.md\n2. b.md',
    );
    const second = await run("2", undefined, unclear.messages);
    expect(second.calls.map(({ name }) => name)).toEqual(["Read"]);
    expect(second.text).toContain("You chose b.md.");
    const third = await run("YES", undefined, second.messages);
    expect(third.text).toContain("You chose yes.");
    expect(third.calls.map(({ name }) => name)).toEqual(["Glob"]);
    // A question is answered once: later the same word is only a word.
    expect((await run("yes", undefined, third.messages)).text).toContain("I'm a script");
  });

  it("accepts a new script in the middle of another one, and names the steps that a free text cancelled", async () => {
    const call: ToolCall = { id: "script_0_x", name: "Read", args: {} };
    const cut: Message[] = [
      user("read a.md\nread b.md"),
      { role: "assistant", id: "a", ...at, content: "", toolCalls: [call], state: "complete" },
      result(call, "A"),
    ];
    expect((await ask([...cut, user("list")])).toolCalls).toMatchObject([{ name: "Glob" }]);
    const refused = words(await ask([...cut, user("now stop and tell me")]));
    expect(refused).toContain("Not run:\n- `read b.md`");
    expect(refused).toContain("I'm a script");
    const lastWord = words(await ask([...cut, user("Answer now with what you have.")], {}));
    expect(lastWord).toContain("Output of `read a.md`:");
    expect(lastWord).not.toContain("I'm a script");
  });

  it("makes the same events for the same conversation", async () => {
    const events = async (): Promise<ProviderEvent[]> => {
      let next = 0;
      const fresh = new OfflineProvider({ now: () => 5, randomUUID: () => `id-${(next += 1)}` });
      const all: ProviderEvent[] = [];
      for await (const event of fresh.chatStream([{ ...user("help\nread a.md"), id: "u" }], {
        tools,
      })) {
        all.push(event);
      }
      return all;
    };
    const first = await events();
    expect(await events()).toEqual(first);
    expect(first.at(-1)).toMatchObject({
      type: "message",
      message: {
        id: "id-1",
        timestamp: new Date(5),
        provider: "offline",
        model: "script-1",
        stopReason: "tool_use",
      },
    });
  });

  it("streams words that add up to the message", async () => {
    const deltas: string[] = [];
    const message = await ask([user("help")], { onTextDelta: (delta) => deltas.push(delta) });
    expect(deltas.join("")).toBe(message.content);
    expect(deltas.every((delta) => /^\s*\S+$/.test(delta))).toBe(true);
  });

  it("writes the requested number of tokens and marks them as estimated", async () => {
    const message = await ask([user("long 1000")]);
    expect(words(message)).toHaveLength(2_000);
    expect(message.usage).toEqual({
      inputTokens: 5,
      outputTokens: 1_000,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    });
    expect(message.metadata).toEqual({ estimatedUsage: true });
  });

  it.each([
    ["429", { name: "RateLimitError", status: 429 }],
    ["500", { code: "SERVER_ERROR", status: 500 }],
    ["overloaded", { code: "OVERLOADED", status: 529 }],
    ["network", { name: "NetworkError" }],
  ])("fails with %s like a service", async (kind, error) => {
    await expect(ask([user(`fail ${kind}`)])).rejects.toMatchObject(error);
  });

  it("keeps its text when it fails", async () => {
    const message = await ask([user("help\nfail overloaded")]);
    expect(message).toMatchObject({
      state: "interrupted",
      stopReason: "error",
      error: { code: "OVERLOADED" },
    });
    expect(words(message)).toContain("I do what these commands say");
  });

  it("ends a delay on abort", async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 30);
    using clock = turnClock();
    await expect(ask([user("slow 60000")], { signal: abort.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(clock.ms()).toBeLessThan(1_000);
  });

  it("keeps its text on abort", async () => {
    const abort = new AbortController();
    const message = await ask([user("long 100000")], {
      signal: abort.signal,
      onTextDelta: () => abort.abort(),
    });
    expect(message).toMatchObject({ state: "interrupted", stopReason: "aborted" });
    expect(words(message).length).toBeLessThan(1_000);
  });
});

it("summarises as a script can: what was asked, which calls were made, and which of them failed", async () => {
  const at = new Date(0);
  const messages: Message[] = [
    { role: "user", id: "1", timestamp: at, content: "read a.md\nrun false" },
    {
      role: "assistant",
      id: "2",
      timestamp: at,
      content: "",
      state: "complete",
      toolCalls: [
        { id: "r", name: "Read", args: { filePath: "a.md" } },
        { id: "b", name: "Bash", args: { command: "false" } },
      ],
    },
    { role: "tool", id: "3", timestamp: at, toolCallId: "r", name: "Read", content: "A" },
    {
      role: "tool",
      id: "4",
      timestamp: at,
      toolCallId: "b",
      name: "Bash",
      content: "exit 1",
      isError: true,
    },
    { role: "user", id: "5", timestamp: at, content: `${SUMMARY_REQUEST}\n\nKeep the tests.` },
  ];
  const { content } = await new OfflineProvider().chat(messages);
  expect(content).toBe(
    [
      "Scripted summary: a list of what happened, made without a model.",
      "Asked:\n- read a.md",
      "Tool calls:\n- Read a.md\n- Bash false (failed)",
    ].join("\n\n"),
  );
});
