import { describe, expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { ValidationError } from "../errors.ts";
import { contentText } from "../messages/message.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import type { Plugin, PluginPriority } from "./plugin.ts";
import { UsagePlugin } from "./usage-plugin.ts";

const echo = createFunctionTool("echo", "Says it again", { type: "object" }, async () => "again");
const callsEcho = { toolCalls: [{ id: "1", name: "echo", args: {} }] };

/** A plugin whose every hook notes that it was called. */
function noting(seen: string[], name: string, priority?: PluginPriority | number): Plugin {
  const note = (hook: string) => (): void => void seen.push(`${name}.${hook}`);
  return {
    name,
    category: "custom",
    ...(priority !== undefined && { priority }),
    beforeRun: note("beforeRun"),
    afterRun: note("afterRun"),
    onRefused: note("onRefused"),
    onError: note("onError"),
    onStreamChunk: note("onStreamChunk"),
    beforeToolExecution: note("beforeToolExecution"),
    onToolStart: note("onToolStart"),
    afterToolExecution: note("afterToolExecution"),
    dispose: async () => note("dispose")(),
  };
}

describe("the plugins of an agent", () => {
  it("are called by priority at every point of a run, and in the given order within a priority", async () => {
    const seen: string[] = [];
    const plugins = [
      noting(seen, "last", "minimal"),
      noting(seen, "normal"),
      noting(seen, "as normal", 500),
      noting(seen, "first", "critical"),
      noting(seen, "above high", 801),
      noting(seen, "below high", 799),
      noting(seen, "high", "high"),
    ];
    const provider = new ScriptedProvider([callsEcho, { text: "done" }]);
    const agent = new Robota({ provider, tools: [echo], plugins });
    await agent.run("go");
    await agent.dispose();
    const names = ["first", "above high", "high", "below high", "normal", "as normal", "last"];
    const hooks = [
      "beforeRun",
      "beforeToolExecution",
      "onToolStart",
      "afterToolExecution",
      "onStreamChunk",
      "onStreamChunk",
      "afterRun",
      "dispose",
    ];
    expect(seen).toEqual(hooks.flatMap((hook) => names.map((name) => `${name}.${hook}`)));
  });

  it("get the input as changed by the previous ones", async () => {
    const add = (word: string): Plugin => ({
      name: word,
      category: "custom",
      beforeRun: ({ input }) => ({ input: `${contentText(input)} ${word}` }),
    });
    const provider = new ScriptedProvider([{ text: "ok" }]);
    await new Robota({ provider, plugins: [add("b"), add("c")] }).run("a");
    expect(provider.requests[0]?.messages.at(-1)?.content).toBe("a b c");
  });

  it("are reported by name when they throw, and affect neither the run nor each other", async () => {
    const seen: string[] = [];
    const fail = (): never => {
      throw new Error("broken");
    };
    const broken: Plugin = {
      name: "broken",
      category: "custom",
      priority: "high",
      beforeRun: fail,
      afterRun: async () => fail(),
      onStreamChunk: fail,
      beforeToolExecution: async () => fail(),
      onToolStart: fail,
      afterToolExecution: fail,
      dispose: async () => fail(),
    };
    const reported: string[] = [];
    const agent = new Robota({
      provider: new ScriptedProvider([callsEcho, { text: "done" }]),
      tools: [echo],
      plugins: [noting(seen, "sound"), broken],
      onPluginError: ({ code, plugin, message }) => reported.push(`${code} ${plugin}: ${message}`),
    });
    expect(await agent.run("go")).toMatchObject({ text: "done", interrupted: false });
    await agent.dispose();
    expect(seen).toHaveLength(8);
    expect(reported).toHaveLength(8);
    expect(reported[0]).toBe("PLUGIN_ERROR broken: The plugin broken failed in beforeRun: broken");
  });

  it("may refuse a run before anything is sent, and all are notified", async () => {
    const seen: string[] = [];
    const error = new ValidationError("not today");
    const refusing: Plugin = {
      name: "refusing",
      category: "limits",
      beforeRun: () => ({ refuse: error }),
    };
    const provider = new ScriptedProvider([]);
    const plugins = [noting(seen, "behind", "low"), refusing, noting(seen, "in front", "high")];
    const agent = new Robota({ provider, plugins });
    expect(await agent.run("go")).toMatchObject({ error, text: "", rounds: 0 });
    expect(provider.requests).toHaveLength(0);
    expect(agent.getHistory()).toEqual([]);
    expect(seen).toEqual(["in front.beforeRun", "in front.onRefused", "behind.onRefused"]);
  });

  it("can change and refuse the input and output of tools, and the answer", async () => {
    const ran: unknown[] = [];
    const shout = createFunctionTool(
      "shout",
      "Says it louder",
      { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      async ({ text }) => {
        ran.push(text);
        return `${String(text)}!`;
      },
    );
    const call = (text: string) => ({ id: text, name: "shout", args: { text } });
    const provider = new ScriptedProvider([
      { toolCalls: [call("change"), call("refuse"), call("break"), call("hide")] },
      { text: "done" },
    ]);
    const started: unknown[] = [];
    const guard: Plugin = {
      name: "guard",
      category: "custom",
      priority: "high",
      beforeToolExecution: (_run, { args }) => {
        if (args["text"] === "refuse") return { refuse: "not that" };
        if (args["text"] === "break") return { args: { text: 1 } };
        // Only the returned arguments count.
        const text = args["text"];
        args["text"] = "in place";
        return text === "change" ? { args: { text: "changed" } } : undefined;
      },
      afterToolExecution: (_run, _call, { output }) => {
        if (output === "changed!") return { output: "CHANGED" };
        return output === "hide!" ? { refuse: "a secret" } : undefined;
      },
      afterRun: (_run, { text }) => ({ text: `${text}, it is` }),
    };
    const last: Plugin = {
      name: "last",
      category: "custom",
      onToolStart: (_run, { args }) => void started.push(args["text"]),
      afterToolExecution: (_run, _call, { output }) => ({ output: `${contentText(output)}?` }),
      afterRun: (_run, { text }) => ({ text: text.toUpperCase() }),
    };
    const agent = new Robota({ provider, tools: [shout], plugins: [last, guard] });
    expect((await agent.run("go")).text).toBe("DONE, IT IS");
    expect(ran).toEqual(["changed", "hide"]);
    expect(started).toEqual(["changed", "hide"]);
    const results = provider.requests[1]?.messages.filter(({ role }) => role === "tool");
    expect(results).toMatchObject([
      { content: "CHANGED?" },
      { content: "Refused by a plugin: not that?", isError: true, errorCode: "plugin_refused" },
      { content: expect.stringContaining("text"), isError: true, errorCode: "invalid_arguments" },
      { content: "Refused by a plugin: a secret?", isError: true, errorCode: "plugin_refused" },
    ]);
    // The conversation has the model's own words.
    expect(agent.getHistory().at(-1)).toMatchObject({ content: "done" });
  });

  it("can fail a run by its answer, which all of them see", async () => {
    const seen: string[] = [];
    const error = new ValidationError("not fit to be told");
    const refusing: Plugin = {
      name: "refusing",
      category: "custom",
      priority: "high",
      afterRun: () => ({ refuse: error }),
    };
    const provider = new ScriptedProvider([{ text: "ok" }]);
    const agent = new Robota({ provider, plugins: [refusing, noting(seen, "behind")] });
    expect(await agent.run("go")).toMatchObject({ error });
    expect(seen).toContain("behind.afterRun");
  });

  it("decide on a failure by the first decision, given the attempt's usage", async () => {
    const seen: unknown[] = [];
    const retry: Plugin = {
      name: "retry",
      category: "error_handling",
      onError: (run, error, { usage, rounds, cost }) => {
        seen.push([run.attempt, error.message, usage.inputTokens, rounds, cost]);
        return run.attempt < 2 ? { retryAfterMs: 1 } : { error: new Error("gave up") };
      },
    };
    const provider = new ScriptedProvider(
      [{ ...callsEcho, usage: { inputTokens: 1_000_000 } }, { error: "one" }, { error: "two" }],
      { model: "claude-haiku-4-5" },
    );
    const other: Plugin = {
      name: "other",
      category: "custom",
      onError: () => ({ error: new Error("second answer") }),
    };
    const agent = new Robota({
      provider,
      tools: [echo],
      plugins: [retry, other],
      contextWindow: 1e9,
    });
    expect(await agent.run("go")).toMatchObject({ error: new Error("gave up") });
    expect(seen).toEqual([
      [1, "one", 1_000_000, 2, 1],
      [2, "two", 0, 1, 0],
    ]);
  });

  it("separate the runs of two agents that share them", async () => {
    const usage = new UsagePlugin();
    const slow = new Robota({
      provider: new ScriptedProvider([callsEcho, { deltas: ["a", "b"], delayMs: 10 }], {
        model: "slow",
      }),
      tools: [echo],
      plugins: [usage],
    });
    const quick = new Robota({
      provider: new ScriptedProvider([{ text: "c", usage: { inputTokens: 3 } }], {
        model: "quick",
      }),
      plugins: [usage],
    });
    await Promise.all([slow.run("1"), quick.run("2")]);
    const both = await usage.summary();
    expect(both).toMatchObject({
      runs: 2,
      byModel: { slow: { rounds: 2, tokens: { inputTokens: 0 } }, quick: { rounds: 1 } },
    });
    const ofQuick = await usage.summary({ model: "quick" });
    expect([ofQuick.tokens.inputTokens, ofQuick.byTool]).toEqual([3, {}]);
    expect((await usage.summary({ model: "slow" })).byTool).toMatchObject({ echo: { calls: 1 } });
  });
});
