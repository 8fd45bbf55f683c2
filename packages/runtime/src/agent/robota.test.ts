import { describe, expect, it } from "vitest";
import { contentText } from "../messages/message.ts";
import { memoryPlatform } from "../testing/memory-platform.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { MAX_ROUNDS_FALLBACK, RESULT_SKIPPED } from "./limits.ts";
import { Robota } from "./robota.ts";
import { Session } from "../session/session.ts";
import { toolContext } from "../../../../test/support/tool-context.ts";
import { runToolBatch } from "./tool-batch.ts";

const echo = createFunctionTool(
  "echo",
  "Says it again",
  { type: "object" },
  async ({ text }) => `said ${String(text)}`,
);
const call = (text: string): { id: string; name: string; args: { text: string } } => ({
  id: text,
  name: "echo",
  args: { text },
});

describe("an agent", () => {
  it("answers, and remembers the conversation", async () => {
    const provider = new ScriptedProvider([{ text: "Hello" }, { text: "Again" }]);
    const agent = new Robota({ provider, systemMessage: "Be kind" });
    expect(await agent.run("Hi")).toMatchObject({ text: "Hello", interrupted: false, rounds: 1 });
    await agent.run("Once more");
    expect(provider.requests[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ["system", "Be kind"],
      ["user", "Hi"],
      ["assistant", "Hello"],
      ["user", "Once more"],
    ]);
    agent.clearHistory();
    expect(agent.getHistory()).toEqual([]);
  });

  it("shares nothing with another agent on the same provider", async () => {
    const provider = new ScriptedProvider([{ text: "a" }, { text: "b" }]);
    const [first, second] = [new Robota({ provider }), new Robota({ provider, tools: [echo] })];
    await first.run("1");
    await second.run("2");
    expect(provider.requests.map(({ messages }) => messages.map(({ content }) => content))).toEqual(
      [["1"], ["2"]],
    );
    expect(provider.requests.map(({ options }) => options.tools?.length ?? 0)).toEqual([0, 1]);
  });

  const shownText = async (first: string): Promise<string> => {
    const provider = new ScriptedProvider([
      { text: first, toolCalls: [call("x")] },
      { text: "two" },
    ]);
    let text = "";
    await new Robota({ provider, tools: [echo] }).run("go", {
      onTextDelta: (delta) => (text += delta),
    });
    return text;
  };

  it("separates rounds by a blank line", async () => {
    expect(await shownText("one")).toBe("one\n\ntwo");
  });

  it("separates rounds without text, too", async () => {
    expect(await shownText("")).toBe("\n\ntwo");
  });

  it("refuses an incomplete tool, and names the missing part", () => {
    const provider = new ScriptedProvider([]);
    const bare = { name: "bare", description: "Has no parameters", execute: () => undefined };
    for (const Agent of [Robota, Session]) {
      // @ts-expect-error -- `parameters` is missing
      expect(() => new Agent({ provider, tools: [echo, bare] })).toThrow(
        expect.objectContaining({
          code: "CONFIGURATION_ERROR",
          message: 'The tool "bare" lacks: parameters',
          hint: expect.stringContaining("JSON Schema"),
        }),
      );
      // @ts-expect-error -- nothing of a tool is there
      expect(() => new Agent({ provider, tools: [undefined] })).toThrow(
        "The tool at index 0 lacks: name, description, parameters, execute",
      );
    }
  });

  it("returns an interrupted result after an abort, and a failed one after a failure", async () => {
    const stop = new AbortController();
    const waiting = new Robota({
      provider: new ScriptedProvider([{ delayMs: Infinity, text: "x" }]),
    });
    setTimeout(() => stop.abort(), 5);
    expect(await waiting.run("go", { signal: stop.signal })).toMatchObject({
      interrupted: true,
      text: "",
    });

    const failing = new Robota({
      provider: new ScriptedProvider([{ error: "down" }, { text: "up" }]),
    });
    expect(await failing.run("go")).toMatchObject({ error: expect.any(Error), interrupted: false });
    expect(failing.getHistory().at(-1)).toMatchObject({
      role: "assistant",
      error: { message: "down" },
    });
    expect((await failing.run("again")).text).toBe("up");
  });

  it("fails a call without progress, but not a slow one", async () => {
    const silent = new Robota({
      provider: new ScriptedProvider([{ delayMs: Infinity, text: "x" }]),
      timeout: 60,
    });
    expect(await silent.run("go")).toMatchObject({ error: { code: "NETWORK_ERROR" } });
    const slow = new Robota({
      provider: new ScriptedProvider([{ deltas: ["s", "l", "o", "w"], delayMs: 30 }]),
      timeout: 200,
    });
    expect((await slow.run("go")).text).toBe("slow");
  });
});

describe("the choice of a tool", () => {
  it("applies to the first answer only, so that a required call ends", async () => {
    const provider = new ScriptedProvider([{ toolCalls: [call("x")] }, { text: "done" }]);
    const agent = new Robota({ provider, tools: [echo] });
    expect((await agent.run("go", { toolChoice: "required" })).text).toBe("done");
    expect(provider.requests.map(({ options }) => options.toolChoice)).toEqual([
      "required",
      undefined,
    ]);
    expect(provider.requests[1]?.options.tools).toHaveLength(1);
  });

  it("applies again to a retry without an answer, and no longer after one with an answer", async () => {
    const provider = new ScriptedProvider([
      { error: "down" },
      { toolCalls: [call("x")] },
      { error: "down" },
      { text: "done" },
    ]);
    const agent = new Robota({
      provider,
      tools: [echo],
      plugins: [{ name: "again", category: "custom", onError: () => ({ retryAfterMs: 0 }) }],
    });
    await agent.run("go", { toolChoice: { name: "echo" } });
    const echoed = { name: "echo" };
    expect(provider.requests.map(({ options }) => options.toolChoice)).toEqual([
      echoed,
      echoed,
      undefined,
      undefined,
    ]);
  });

  it("is refused for an unknown tool", async () => {
    const provider = new ScriptedProvider([]);
    const refused = { code: "CONFIGURATION_ERROR", hint: expect.stringContaining("tools") };
    await expect(
      new Robota({ provider, tools: [echo] }).run("go", { toolChoice: { name: "nope" } }),
    ).rejects.toMatchObject(refused);
    await expect(
      new Robota({ provider }).run("go", { toolChoice: "required" }),
    ).rejects.toMatchObject(refused);
    expect(provider.requests).toEqual([]);
  });
});

describe("the limit of rounds", () => {
  const calls = (...texts: string[]): { toolCalls: ReturnType<typeof call>[] }[] =>
    texts.map((text) => ({ toolCalls: [call(text)] }));

  it("requests a final answer without tools, and keeps that request out of history", async () => {
    const provider = new ScriptedProvider([...calls("a", "b"), { text: "as far as I got" }]);
    const agent = new Robota({
      provider,
      tools: [echo],
      maxExecutionRounds: 2,
      systemMessage: "sys",
    });
    expect((await agent.run("go")).text).toBe("as far as I got");
    const last = provider.requests[2];
    expect(last?.options.tools).toBeUndefined();
    expect(last?.messages[0]).toMatchObject({ role: "system", content: "sys" });
    expect(last?.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringContaining("incomplete"),
    });
    expect(agent.getHistory().filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("reports a final answer that is empty or fails", async () => {
    for (const last of [{ text: "" }, { error: "down" }]) {
      const agent = new Robota({
        provider: new ScriptedProvider([...calls("a"), last]),
        tools: [echo],
        maxExecutionRounds: 1,
      });
      expect(await agent.run("go")).toMatchObject({ text: MAX_ROUNDS_FALLBACK });
    }
    expect(MAX_ROUNDS_FALLBACK).toBe(
      "Maximum rounds reached. Partial results available in conversation history.",
    );
  });
});

describe("a context window that fills up", () => {
  it("ends the run before the call, and suggests compaction", async () => {
    const provider = new ScriptedProvider([]);
    const agent = new Robota({ provider, contextWindow: 100 });
    expect((await agent.run("x".repeat(200))).text).toContain("/compact");
    expect(provider.requests).toHaveLength(0);
  });

  it("estimates two characters as a token, and stops above 83.5 % of the window", async () => {
    for (const [characters, isSent] of [
      [1670, true],
      [1671, false],
    ] as const) {
      const provider = new ScriptedProvider([{ text: "ok" }]);
      const { text } = await new Robota({ provider, contextWindow: 1000 }).run(
        "x".repeat(characters),
      );
      expect([provider.requests.length, text === "ok"]).toEqual([isSent ? 1 : 0, isSent]);
    }
  });

  it("skips results above 80 % of the window", async () => {
    for (const [characters, isSkipped] of [
      [700, false],
      [701, true],
    ] as const) {
      const parameters = { type: "object" };
      const result = createFunctionTool("r", "d", parameters, () => "y".repeat(characters));
      const calls = ["1", "2"].map((id) => ({ id, name: "r", args: {} }));
      // 900 characters before the first result: the tool, both calls, and the prompt.
      const others = `rd${JSON.stringify(parameters)}r{}r{}`.length;
      const input = "x".repeat(900 - others);
      const provider = new ScriptedProvider([{ toolCalls: calls }, { text: "ok" }]);
      const agent = new Robota({ provider, tools: [result], contextWindow: 1000 });
      await agent.run(input);
      const contents = agent
        .getHistory()
        .flatMap(({ role, content }) => (role === "tool" ? [content] : []));
      expect(contents[1] === RESULT_SKIPPED).toBe(isSkipped);
    }
  });

  it("skips results that don't fit, and still calls the model", async () => {
    const big = createFunctionTool("big", "Much", { type: "object" }, async () =>
      "x".repeat(16_000),
    );
    const toolCalls = ["1", "2", "3"].map((id) => ({ id, name: "big", args: {} }));
    const provider = new ScriptedProvider([{ toolCalls }, { text: "enough" }]);
    const agent = new Robota({ provider, tools: [big], contextWindow: 10_000 });
    const result = await agent.run("go");
    const contents = agent
      .getHistory()
      .filter(({ role }) => role === "tool")
      .map(({ content }) => contentText(content).slice(0, 20));
    expect(contents).toEqual([
      "x".repeat(20),
      RESULT_SKIPPED.slice(0, 20),
      RESULT_SKIPPED.slice(0, 20),
    ]);
    expect(RESULT_SKIPPED).toBe(
      "Error: Context window near capacity. Tool execution result skipped.",
    );
    expect(result.text).toBe("enough");
  });
});

describe("a batch of tools", () => {
  it("truncates an over-long result in the middle and keeps all of it in a file", async () => {
    const long = createFunctionTool(
      "long",
      "Much",
      { type: "object" },
      async () => `begin${"x".repeat(50_000)}end`,
    );
    const platform = memoryPlatform();
    const provider = new ScriptedProvider([
      { toolCalls: [{ id: "1", name: "long", args: {} }] },
      { text: "ok" },
    ]);
    const agent = new Robota({ provider, tools: [long], platform });
    await agent.run("go");
    const shown = contentText(agent.getHistory()[2]?.content ?? "");
    expect(shown.length).toBeLessThan(30_500);
    expect([shown.startsWith("begin"), shown.endsWith("end")]).toEqual([true, true]);
    const [file = ""] = shown.match(/\/tmp\/\S+\.txt/) ?? [];
    expect((await platform.fs.stat(file)).size).toBe(50_008);
  });

  it("runs at most five at once and keeps the order of the calls", async () => {
    let running = 0;
    let most = 0;
    const slow = createFunctionTool("slow", "Waits", { type: "object" }, async ({ ms }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, Number(ms)));
      running -= 1;
      return String(ms);
    });
    const toolCalls = [9, 1, 5, 2, 7, 3, 4].map((ms) => ({ name: "slow", args: { ms } }));
    const agent = new Robota({
      provider: new ScriptedProvider([{ toolCalls }, { text: "ok" }]),
      tools: [slow],
    });
    await agent.run("go");
    expect(most).toBe(5);
    expect(
      agent
        .getHistory()
        .filter(({ role }) => role === "tool")
        .map(({ content }) => content),
    ).toEqual(["9", "1", "5", "2", "7", "3", "4"]);
  });

  it("answers every call, regardless of other calls", async () => {
    const tools = [
      echo,
      createFunctionTool("fail", "Fails", { type: "object" }, () =>
        Promise.reject(new Error("broken")),
      ),
    ];
    const toolCalls = [{ name: "fail", args: {} }, call("fine"), { name: "nope", args: {} }];
    const agent = new Robota({
      provider: new ScriptedProvider([{ toolCalls }, { text: "ok" }]),
      tools,
    });
    await agent.run("go");
    expect(agent.getHistory().filter((message) => message.role === "tool")).toMatchObject([
      { isError: true, content: "broken" },
      { content: "said fine" },
      { isError: true, errorCode: "unknown_tool" },
    ]);
  });

  it("does not run calls with invalid arguments, and reports the place and the schema to the model", async () => {
    let runs = 0;
    const parameters = {
      type: "object",
      properties: { path: { type: "string" }, lines: { type: "array" } },
      required: ["path"],
    };
    const tool = createFunctionTool("write", "Writes", parameters, () => String(++runs));
    const deep = `{"path":"a","lines":${"[".repeat(64)}${"]".repeat(64)}}`;
    const cases: [args: string, problem: string][] = [
      ['{"path":"a","path":"b"}', '"path" is there twice (line 1, column 13)'],
      [
        '{"path":"a",\n "lines":[NaN]}',
        "/lines/0: the arguments are not valid JSON: expected a value",
      ],
      ['{"path":"a",}', "(line 1, column 13)"],
      ['{"path":"a', "/path: "],
      ['{"path":"a","lines":[12345678901234567890]}', "/lines/0: "],
      [deep, "more than 64 levels"],
      [`{"path":"${"x".repeat(5_000_000)}"}`, "longer than 1,000,000 characters"],
      ["[]", "must be a JSON object"],
      ['{"lines":{}}', "/path: required"],
    ];
    for (const [args, problem] of cases) {
      const provider = new ScriptedProvider([
        { toolCalls: [{ id: "1", name: "write", args }] },
        { text: "ok" },
      ]);
      const agent = new Robota({ provider, tools: [tool], contextWindow: 1e9 });
      await agent.run("go");
      const result = agent.getHistory()[2];
      expect(result).toMatchObject({ isError: true, errorCode: "invalid_arguments" });
      const shown = contentText(result?.content ?? "");
      expect(shown).toContain(problem);
      expect(shown).toContain(JSON.stringify(parameters));
      expect(shown.length).toBeLessThan(1000);
    }
    expect(runs).toBe(0);
  });

  it("applies its limits to arguments that a provider passes as values", async () => {
    let deep: unknown = 0;
    for (let level = 0; level < 100; level++) deep = [deep];
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    for (const args of [{ deep }, cyclic, { text: "x".repeat(2_000_000) }]) {
      const result = await runToolBatch({
        calls: [{ id: "1", name: "echo", args }],
        tools: new Map([["echo", echo]]),
        signal: new AbortController().signal,
        context: () => toolContext(memoryPlatform()),
        onEnd: ({ message: { errorCode } }) => {
          expect(errorCode).toBe("invalid_arguments");
        },
        now: () => 0,
        randomUUID: () => "1",
      });
      expect(result.ranCount).toBe(0);
    }
  });
});
