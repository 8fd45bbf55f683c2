import { describe, expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { contentText } from "../messages/message.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { EventEmitterPlugin } from "./event-emitter-plugin.ts";
import { LimitsPlugin } from "./limits/limits-plugin.ts";
import type { LogData } from "./logger.ts";

const tools = [
  createFunctionTool("echo", "Says it again", { type: "object" }, async () => "again"),
  createFunctionTool("fail", "Fails", { type: "object" }, () => Promise.reject(new Error("no"))),
];
const callsBoth = {
  toolCalls: [
    { id: "1", name: "echo", args: {} },
    { id: "2", name: "fail", args: {} },
  ],
};

describe("an event emitter", () => {
  it("emits every point of a run in order", async () => {
    const events = new EventEmitterPlugin();
    const seen: string[] = [];
    events.on("*", ({ name }) => void seen.push(name));
    const provider = new ScriptedProvider([callsBoth, { text: "done" }, { error: "down" }]);
    const agent = new Robota({ provider, tools, plugins: [events] });
    await agent.run("go");
    await agent.run("fail");
    expect(seen).toEqual([
      "execution.start",
      "tool.execute_start",
      "tool.execute_start",
      "tool.execute_success",
      "tool.execute_error",
      "execution.text_delta",
      "execution.text_delta",
      "execution.complete",
      "execution.start",
      "execution.error",
    ]);
  });

  it("reports refused runs", async () => {
    const events = new EventEmitterPlugin();
    const codes: unknown[] = [];
    events.on(
      "execution.refused",
      ({ error }) => void codes.push((error as { code?: string }).code),
    );
    const limits = new LimitsPlugin({ requests: 1 });
    const agent = new Robota({
      provider: new ScriptedProvider([{ text: "1" }]),
      plugins: [events, limits],
    });
    await agent.run("go");
    await agent.run("again");
    expect(codes).toEqual(["RATE_LIMIT_ERROR"]);
  });

  it("calls each listener once, while subscribed and for the events its filter matches", async () => {
    const events = new EventEmitterPlugin();
    const seen: string[] = [];
    const listener = (): void => void seen.push("removed");
    events.on("execution.start", listener);
    events.off("execution.complete", listener);
    events.off("execution.start", listener);
    const stop = events.on(
      "execution.start",
      ({ run }) => void seen.push(`on ${contentText(run.input)}`),
    );
    events.once("execution.start", ({ run }) => void seen.push(`once ${contentText(run.input)}`), {
      filter: ({ run }) => run.input === "two",
    });
    const answers = ["1", "2", "3", "4"].map((text) => ({ text }));
    const agent = new Robota({ provider: new ScriptedProvider(answers), plugins: [events] });
    await agent.run("one");
    await agent.run("two");
    stop();
    await agent.run("two");
    expect(seen).toEqual(["on one", "on two", "once two"]);
  });

  it("isolates failing listeners, and waits for none", async () => {
    const reported: [string, LogData | undefined][] = [];
    const silent = (): void => {};
    const logger = {
      debug: silent,
      info: silent,
      warn: silent,
      error: (message: string, data?: LogData) => void reported.push([message, data]),
    };
    const events = new EventEmitterPlugin({ logger });
    let finish = (): void => {};
    let isDone = false;
    events.on("execution.start", () => {
      throw new Error("sync");
    });
    events.on("execution.start", async () => Promise.reject(new Error("async")));
    events.on("execution.start", async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      await new Promise((resolve) => setTimeout(resolve, 5));
      isDone = true;
    });
    let sound = 0;
    events.on("execution.start", () => void (sound += 1));
    const pluginErrors: unknown[] = [];
    const agent = new Robota({
      provider: new ScriptedProvider([{ text: "ok" }]),
      plugins: [events],
      onPluginError: (error) => pluginErrors.push(error),
    });
    expect(await agent.run("go")).toMatchObject({ text: "ok" });
    expect([sound, isDone, pluginErrors]).toEqual([1, false, []]);
    expect(reported.map(([message]) => message)).toEqual([
      "A listener of execution.start failed: sync",
      "A listener of execution.start failed: async",
    ]);
    expect(reported[0]?.[1]).toMatchObject({ code: "PLUGIN_ERROR" });
    finish();
    await agent.dispose();
    expect(isDone).toBe(true);
  });

  it("does not wait for a listener that never settles", async () => {
    const events = new EventEmitterPlugin({ closeTimeoutMs: 10 });
    events.on("execution.start", () => new Promise(() => {}));
    const provider = new ScriptedProvider([{ text: "ok" }]);
    const agent = new Robota({ provider, plugins: [events] });
    await agent.run("go");
    await agent.dispose();
    expect(provider.remaining).toBe(0);
  });

  it("distinguishes the agents that share it", async () => {
    const events = new EventEmitterPlugin();
    const agents = ["a", "b"].map((text) => ({
      text,
      agent: new Robota({ provider: new ScriptedProvider([{ text }]), plugins: [events] }),
    }));
    const texts = new Map<string | undefined, string[]>();
    events.on("execution.text_delta", ({ run, delta }) => {
      const owner = run.ownerPath.at(-1)?.ownerId;
      texts.set(owner, [...(texts.get(owner) ?? []), delta]);
    });
    await Promise.all(agents.map(({ agent, text }) => agent.run(text)));
    expect([...texts.values()].map(String).toSorted()).toEqual(["a", "b"]);
  });
});
