import {
  ConfigurationError,
  createFunctionTool,
  type InteractiveSessionEvents,
  InteractiveSession,
  type InteractiveSessionOptions,
  Session,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { withHost } from "#host";
import { describe, expect, it } from "vitest";
import { echo, echoCall, endless, until } from "../../support/support.ts";

/** The events that the specification names. */
const EVENTS = [
  "text_delta",
  "tool_start",
  "tool_end",
  "thinking",
  "complete",
  "error",
  "context_update",
  "interrupted",
] as const satisfies (keyof InteractiveSessionEvents)[];

/** Listens to the eight events, and keeps each with its arguments. */
function listenTo(session: InteractiveSession): {
  heard: [name: string, ...args: unknown[]][];
  stop: () => void;
} {
  const heard: [name: string, ...args: unknown[]][] = [];
  const listeners = EVENTS.map((name) => {
    const listener = (...args: unknown[]): unknown => heard.push([name, ...args]);
    session.on(name, listener);
    return () => session.off(name, listener);
  });
  return { heard, stop: () => listeners.forEach((stop) => stop()) };
}

describe("S-203: an interactive session", () => {
  it("takes a directory and a provider, and loads settings and instructions from that directory", () =>
    withHost(async ({ platform, cwd }) => {
      const { fs } = platform;
      await fs.mkdir(`${cwd}/.robota`, { recursive: true });
      await fs.writeFile(`${cwd}/.robota/settings.json`, JSON.stringify({ language: "Korean" }));
      await fs.writeFile(`${cwd}/AGENTS.md`, "Indent with tabs.");
      const provider = new ScriptedProvider([{ text: "ok" }]);
      const trustWorkspace = (): boolean => true;
      await using session = new InteractiveSession({ platform, cwd, provider, trustWorkspace });
      expect((await session.submit("Hi")).response).toBe("ok");
      const [system] = provider.requests[0]?.messages ?? [];
      expect(system?.role).toBe("system");
      for (const text of [cwd, "Korean", "Indent with tabs."])
        expect(system?.content).toContain(text);
    }));

  it("accepts a prepared session instead, which needs no host", async () => {
    const provider = new ScriptedProvider([{ text: "ok" }]);
    const prepared = new Session({ provider, tools: [echo], systemMessage: "Be brief." });
    await using session = new InteractiveSession({ session: prepared });
    expect(session.sessionId).toBe(prepared.sessionId);
    expect((await session.submit("Hi")).response).toBe("ok");
    const [request] = provider.requests;
    expect(request?.messages.map(({ content }) => content)).toEqual(["Be brief.", "Hi"]);
    expect(request?.options.tools?.map(({ name }) => name)).toEqual(["echo"]);
  });

  it("S-204: is an error without a provider", () =>
    withHost(async ({ platform, cwd }) => {
      const incomplete = { platform, cwd } as unknown as InteractiveSessionOptions;
      const make = (): unknown => new InteractiveSession(incomplete);
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow("A session needs a provider");
    }));

  it("S-222: needs no terminal, also for a call that a person approves", () =>
    withHost(async ({ platform, cwd }) => {
      const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "done" }]);
      await using session = new InteractiveSession({ platform, cwd, provider, tools: [echo] });
      session.on("permission_request", ({ id }) => {
        void session.resolvePermission(id, { allow: true });
      });
      expect(await session.submit("go")).toMatchObject({ state: "complete", response: "done" });
    }));
});

describe("S-205: listeners of an interactive session", () => {
  it("receive text, tools, thinking, the window, and the end of a prompt, until removed", () =>
    withHost(async ({ platform, cwd }) => {
      const { tool, began } = endless();
      const provider = new ScriptedProvider([
        { deltas: ["Let me ", "see"], toolCalls: [echoCall("x")], usage: { inputTokens: 100 } },
        { text: "done" },
        { error: "overloaded" },
        { toolCalls: [{ id: "e", name: "endless", args: {} }] },
        { text: "unheard" },
      ]);
      await using session = new InteractiveSession({
        platform,
        cwd,
        provider,
        tools: [echo, tool],
        permissions: { allow: ["echo", "endless"] },
      });
      const { heard, stop } = listenTo(session);
      const of = (name: string): unknown[] =>
        heard.flatMap(([one, arg]) => (one === name ? [arg] : []));

      const first = await session.submit("go");
      expect(of("text_delta").join("")).toBe("Let me see\n\ndone");
      const call = { toolName: "echo", firstArg: "x" };
      expect(of("tool_start")).toMatchObject([{ ...call, isRunning: true }]);
      expect(of("tool_end")).toMatchObject([{ ...call, isRunning: false, result: "success" }]);
      expect(of("thinking")).toEqual([true, false]);
      expect(of("complete")).toEqual([first]);
      expect(of("context_update").length).toBeGreaterThan(0);
      expect([...of("error"), ...of("interrupted")]).toEqual([]);

      await session.submit("fail");
      expect(of("error")).toMatchObject([{ message: "overloaded" }]);

      const aborted = session.submit("wait");
      await began;
      session.abort();
      expect(of("interrupted")).toEqual([]);
      const last = await aborted;
      expect(of("interrupted")).toEqual([last]);
      expect(of("complete")).toHaveLength(1);

      stop();
      heard.length = 0;
      await session.submit("once more");
      expect(heard).toEqual([]);
      expect([...new Set(EVENTS)]).toHaveLength(8);
    }));

  it("S-215: receive thinking true before anything of a prompt and false before its end, for each prompt", () =>
    withHost(async ({ platform, cwd }) => {
      const provider = new ScriptedProvider([
        { text: "one" },
        { error: "down" },
        { text: "three" },
      ]);
      await using session = new InteractiveSession({ platform, cwd, provider });
      const { heard } = listenTo(session);
      const first = session.submit("1");
      // The second one waits in the queue for the first.
      await Promise.all([first, session.submit("2")]);
      await session.submit("3");
      const order = heard.flatMap(([name, arg]) =>
        name === "thinking" ? [arg] : name === "context_update" ? [] : [name],
      );
      expect(order).toEqual(
        [
          [true, "text_delta", false, "complete"],
          [true, false, "error"],
          [true, "text_delta", false, "complete"],
        ].flat(),
      );
    }));

  it("S-216: receive a failure as the Error itself, which the history keeps", () =>
    withHost(async ({ platform, cwd }) => {
      const failure = new Error("The wire is cut");
      const provider = new ScriptedProvider([{ error: failure }]);
      await using session = new InteractiveSession({ platform, cwd, provider });
      const errors: Error[] = [];
      session.on("error", (error) => errors.push(error));
      expect(await session.submit("go")).toMatchObject({ state: "failed" });
      expect(errors).toHaveLength(1);
      expect(errors[0]).toBeInstanceOf(Error);
      expect(errors[0]?.message).toBe("The wire is cut");
      const kept = session.getFullHistory().filter(({ category }) => category === "event");
      expect(JSON.stringify(kept)).toContain("The wire is cut");
      expect(session.isExecuting()).toBe(false);
    }));

  it("S-225: receive the window's states as onContextUpdate does", () =>
    withHost(async ({ platform, cwd }) => {
      const given: unknown[] = [];
      const provider = new ScriptedProvider([
        { toolCalls: [echoCall("x")], usage: { inputTokens: 1_000 } },
        { text: "done", usage: { inputTokens: 2_000 } },
      ]);
      const prepared = new Session({
        platform,
        cwd,
        provider,
        tools: [echo],
        permissions: { allow: ["echo"] },
        contextWindow: 10_000,
        onContextUpdate: (state) => given.push(state),
      });
      await using session = new InteractiveSession({ session: prepared });
      const heard: unknown[] = [];
      session.on("context_update", (state) => heard.push(state));
      await session.submit("go");
      expect(heard.length).toBeGreaterThan(0);
      expect(heard).toEqual(given);
      expect(heard.at(-1)).toMatchObject({
        usedTokens: 2_000,
        maxTokens: 10_000,
        usedPercentage: 20,
      });
      expect(heard.at(-1)).toEqual(session.getContextState());
    }));
});

describe("S-206: submit(input, displayInput?, rawInput?)", () => {
  it("sends the first to the model, shows the second, and passes the third to hooks", () =>
    withHost(async ({ platform, cwd }) => {
      const prompts: string[] = [];
      const provider = new ScriptedProvider([{ text: "ok" }, { text: "ok" }]);
      await using session = new InteractiveSession({
        platform,
        cwd,
        provider,
        hooks: {
          UserPromptSubmit: [
            {
              hooks: [{ type: "function", run: ({ prompt }) => void prompts.push(String(prompt)) }],
            },
          ],
        },
      });
      await session.submit("Audit every file of the project.", "/audit", "audit src");
      await session.submit("plain");
      const asked = (index: number): unknown => provider.requests[index]?.messages.at(-1)?.content;
      expect([asked(0), asked(1)]).toEqual(["Audit every file of the project.", "plain"]);
      const shown = session.getMessages().filter(({ role }) => role === "user");
      expect(shown.map(({ content }) => content)).toEqual(["/audit", "plain"]);
      expect(prompts).toEqual(["audit src", "plain"]);
    }));
});

describe("the queue of an interactive session", () => {
  /** A session whose tool holds its turn until it is released. */
  async function held(
    run: (parts: {
      session: InteractiveSession;
      provider: ScriptedProvider;
      began: Promise<void>;
      release: () => void;
    }) => Promise<void>,
  ): Promise<void> {
    await withHost(async ({ platform, cwd }) => {
      const begun = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const provider = new ScriptedProvider([
        { deltas: ["Working"], toolCalls: [{ id: "h", name: "hold", args: {} }] },
        { text: "first done" },
        { text: "second done" },
      ]);
      const hold = createFunctionTool(
        "hold",
        "Holds its turn",
        { type: "object" },
        async (_args, { signal }) => {
          begun.resolve();
          const aborted = Promise.withResolvers<never>();
          signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
          return Promise.race([released.promise.then(() => "held"), aborted.promise]);
        },
      );
      await using session = new InteractiveSession({
        platform,
        cwd,
        provider,
        tools: [hold],
        permissions: { allow: ["hold"] },
      });
      await run({ session, provider, began: begun.promise, release: released.resolve });
    });
  }
  const sent = ({ requests }: ScriptedProvider): unknown[] =>
    requests.map(({ messages }) => messages.findLast(({ role }) => role === "user")?.content);

  it("S-210: reports whether a prompt runs, and the queued one or null", () =>
    held(async ({ session, began, release }) => {
      expect([session.isExecuting(), session.getPendingPrompt()]).toEqual([false, null]);
      const first = session.submit("first");
      expect(session.isExecuting()).toBe(true);
      await began;
      expect(session.getPendingPrompt()).toBeNull();
      const second = session.submit("second");
      await until(() => session.getPendingPrompt() !== null);
      expect([session.isExecuting(), session.getPendingPrompt()]).toEqual([true, "second"]);
      release();
      expect((await first).response).toBe("first done");
      expect((await second).response).toBe("second done");
      expect([session.isExecuting(), session.getPendingPrompt()]).toEqual([false, null]);
    }));

  it("S-209: drops the queued prompt and continues the running one after cancelQueue", () =>
    held(async ({ session, provider, began, release }) => {
      const first = session.submit("first");
      await began;
      const second = session.submit("second");
      await until(() => session.getPendingPrompt() === "second");
      session.cancelQueue();
      expect([session.isExecuting(), session.getPendingPrompt()]).toEqual([true, null]);
      expect(await second).toMatchObject({ state: "interrupted", response: "" });
      release();
      expect(await first).toMatchObject({ state: "complete", response: "first done" });
      expect(sent(provider)).toEqual(["first", "first"]);
    }));

  it("S-208: is cleared by abort, whose end the event interrupted reports", () =>
    held(async ({ session, provider, began }) => {
      const ends: [name: string, state: string][] = [];
      for (const name of ["interrupted", "complete"] as const) {
        session.on(name, ({ state }) => ends.push([name, state]));
      }
      const first = session.submit("first");
      await began;
      const second = session.submit("second");
      await until(() => session.getPendingPrompt() === "second");
      session.abort();
      expect(session.getPendingPrompt()).toBeNull();
      expect(ends).toEqual([]);
      expect(await first).toMatchObject({ state: "interrupted", response: "Working" });
      expect(await second).toMatchObject({ state: "interrupted", response: "" });
      expect(ends).toEqual([["interrupted", "interrupted"]]);
      expect(session.isExecuting()).toBe(false);
      expect(sent(provider)).toEqual(["first"]);
    }));
});

describe("steer without a running turn", () => {
  it("resolves when the turn has begun, whose end comes by events", () =>
    withHost(async ({ platform, cwd }) => {
      const { tool, began } = endless();
      const provider = new ScriptedProvider([
        { toolCalls: [{ id: "e", name: "endless", args: {} }] },
      ]);
      await using session = new InteractiveSession({
        platform,
        cwd,
        provider,
        tools: [tool],
        permissions: { allow: ["endless"] },
      });
      const ended = new Promise((resolve) => session.on("interrupted", resolve));
      await session.steer("go");
      expect(session.isExecuting()).toBe(true);
      await began;
      session.abort();
      expect(await ended).toMatchObject({ state: "interrupted" });
    }));

  it("resolves also when that turn fails, and rejects when the message is not accepted", () =>
    withHost(async ({ platform, cwd }) => {
      const provider = new ScriptedProvider([{ error: "down" }]);
      await using session = new InteractiveSession({ platform, cwd, provider });
      const failed = new Promise<Error>((resolve) => session.on("error", resolve));
      await session.steer("go");
      expect((await failed).message).toBe("down");
      await session.shutdown();
      await expect(session.steer("more")).rejects.toMatchObject({ code: "CLOSED" });
    }));
});
