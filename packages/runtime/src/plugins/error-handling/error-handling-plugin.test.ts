import { describe, expect, it } from "vitest";
import { Robota, type RobotaOptions } from "../../agent/robota.ts";
import {
  AuthenticationError,
  CircuitBreakerOpenError,
  ProviderError,
  RateLimitError,
  StorageError,
} from "../../errors.ts";
import { type ScriptedReply, ScriptedProvider } from "../../testing/scripted-provider.ts";
import { createFunctionTool } from "../../tools/function-tool.ts";
import { LimitsPlugin } from "../limits/limits-plugin.ts";
import { type LogData, type Logger, SilentLogger } from "../logger.ts";
import { circuitBreaker } from "./circuit-breaker.ts";
import { ErrorHandlingPlugin, type ErrorHandlingPluginOptions } from "./error-handling-plugin.ts";

const logger = new SilentLogger();

function agentWith(
  script: readonly ScriptedReply[],
  options: ErrorHandlingPluginOptions,
  more: Partial<RobotaOptions> = {},
): { agent: Robota; plugin: ErrorHandlingPlugin; provider: ScriptedProvider } {
  const plugin = new ErrorHandlingPlugin({ logger, ...options });
  const provider = new ScriptedProvider(script);
  const agent = new Robota({ provider, plugins: [plugin], ...more });
  return { agent, plugin, provider };
}

/** A clock that stands until it is moved. */
function handClock(): { now: () => number; pass(ms: number): void } {
  let time = 1000;
  return { now: () => time, pass: (ms) => void (time += ms) };
}

describe("the simple and the silent strategy", () => {
  it.each([
    ["simple", 1],
    ["silent", 0],
  ] as const)(
    "%s: decide nothing, record the error, and log as configured",
    async (strategy, lineCount) => {
      const lines: [string, LogData | undefined][] = [];
      const noting: Logger = Object.assign(new SilentLogger(), {
        error: (message: string, data?: LogData) => lines.push([message, data]),
      });
      const script = [{ error: "no sk-proj-abcdefgh12" }, { text: "ok" }];
      const { agent, plugin } = agentWith(script, { strategy, logger: noting });
      expect(await agent.run("go")).toMatchObject({ error: { code: "PROVIDER_ERROR" } });
      expect((await agent.run("go")).text).toBe("ok");
      expect(plugin.errors).toMatchObject([
        { attempt: 1, error: { code: "PROVIDER_ERROR", message: "no [REDACTED]" } },
      ]);
      expect(lines).toHaveLength(lineCount);
      expect(JSON.stringify(lines)).not.toContain("abcdefgh12");
    },
  );

  it("keep the last hundred errors", async () => {
    const script = Array.from({ length: 101 }, (_, index) => ({ error: String(index) }));
    const { agent, plugin } = agentWith(script, {});
    for (const _ of script) await agent.run("go");
    expect(plugin.errors).toHaveLength(100);
    expect(plugin.errors[0]?.error.message).toBe("1");
  });
});

describe("exponential back-off", () => {
  it("retries recoverable errors with growing delays, and continues the run", async () => {
    const count = { tool: 0 };
    const tool = createFunctionTool("once", "Counts", { type: "object" }, async () =>
      String((count.tool += 1)),
    );
    const { agent, plugin, provider } = agentWith(
      [
        { toolCalls: [{ id: "1", name: "once", args: {} }] },
        { error: "one" },
        { error: "two" },
        { text: "there" },
      ],
      { strategy: "exponential-backoff", firstDelayMs: 8, random: () => 0.5 },
      { tools: [tool] },
    );
    expect(await agent.run("go")).toMatchObject({ text: "there" });
    expect(plugin.errors.map(({ retryAfterMs }) => retryAfterMs)).toEqual([7, 14]);
    expect(count.tool).toBe(1);
    const asked = provider.requests.at(-1)?.messages.map(({ role }) => role);
    expect(asked?.filter((role) => role === "user")).toHaveLength(1);
  });

  it("gives up after its attempts, with the last error", async () => {
    const { agent, provider } = agentWith([{ error: "one" }, { error: "two" }, { text: "late" }], {
      strategy: "exponential-backoff",
      firstDelayMs: 1,
      maxAttempts: 2,
    });
    expect(await agent.run("go")).toMatchObject({ error: { message: "two" } });
    expect(provider.remaining).toBe(1);
  });

  it("does not retry permanent errors", async () => {
    for (const error of [new AuthenticationError("x", { provider: "p" }), new Error("a bug")]) {
      const { agent, provider } = agentWith([{ error }, { text: "late" }], {
        strategy: "exponential-backoff",
        firstDelayMs: 1,
      });
      expect(await agent.run("go")).toMatchObject({ error: { message: error.message } });
      expect(provider.remaining).toBe(1);
    }
  });

  it("waits as long as the service asks, up to a minute", async () => {
    const limited = (retryAfterMs: number): RateLimitError =>
      new RateLimitError("slow down", { provider: "p", retryAfterMs });
    const patient = agentWith([{ error: limited(40) }, { text: "ok" }], {
      strategy: "exponential-backoff",
      firstDelayMs: 10_000,
    });
    const begun = performance.now();
    expect((await patient.agent.run("go")).text).toBe("ok");
    expect(performance.now() - begun).toBeGreaterThanOrEqual(35);
    const hopeless = agentWith([{ error: limited(60_001) }, { text: "late" }], {
      strategy: "exponential-backoff",
    });
    expect(await hopeless.agent.run("go")).toMatchObject({ error: { retryAfterMs: 60_001 } });
  });

  it("ends its delay on abort", async () => {
    const stop = new AbortController();
    const { agent } = agentWith([{ error: "down" }], {
      strategy: "exponential-backoff",
      firstDelayMs: 60_000,
    });
    setTimeout(() => stop.abort(), 5);
    expect(await agent.run("go", { signal: stop.signal })).toMatchObject({ interrupted: true });
  });
});

describe("a circuit breaker", () => {
  const options = { failureThreshold: 2, windowMs: 1000, openMs: 500 };
  const down = { error: "down" };
  const up = { text: "up" };

  it("opens after failures within a window and refuses runs at once, with the remaining time", async () => {
    const clock = handClock();
    const strategy = circuitBreaker({ ...options, now: clock.now });
    const { agent, provider } = agentWith([down, down, down, up], { strategy });
    await agent.run("1");
    clock.pass(1001);
    await agent.run("the first no longer counts");
    expect(strategy.state("scripted/scripted")).toBe("closed");
    clock.pass(10);
    await agent.run("opens");
    expect(strategy.state("scripted/scripted")).toBe("open");
    clock.pass(100);
    const { error } = await agent.run("refused");
    expect(error).toBeInstanceOf(CircuitBreakerOpenError);
    expect(error).toMatchObject({ hint: "Try again in 1 s.", recoverable: true });
    expect(provider.remaining).toBe(1);
  });

  it("lets exactly one run through when half open, and closes when it succeeds", async () => {
    const clock = handClock();
    const strategy = circuitBreaker({ ...options, now: clock.now });
    const plugin = new ErrorHandlingPlugin({ strategy, logger });
    const provider = new ScriptedProvider([down, down, { ...up, delayMs: 20 }, up, up]);
    const agents = [1, 2, 3].map(() => new Robota({ provider, plugins: [plugin] }));
    for (const agent of agents.slice(0, 2)) await agent.run("fails");
    clock.pass(500);
    expect(strategy.state("scripted/scripted")).toBe("half-open");
    const results = await Promise.all(agents.map((agent) => agent.run("try")));
    expect(results.map(({ text }) => text)).toEqual(["up", "", ""]);
    expect(results[1]?.error).toBeInstanceOf(CircuitBreakerOpenError);
    expect(strategy.state("scripted/scripted")).toBe("closed");
    const after = await Promise.all(agents.slice(0, 2).map((agent) => agent.run("try")));
    expect(after.map(({ text }) => text)).toEqual(["up", "up"]);
  });

  it("reopens when the trial run fails", async () => {
    const clock = handClock();
    const strategy = circuitBreaker({ ...options, now: clock.now });
    const { agent } = agentWith([down, down, down, up], { strategy });
    for (const input of ["1", "2"]) await agent.run(input);
    clock.pass(500);
    await agent.run("fails");
    clock.pass(499);
    expect((await agent.run("refused")).error).toBeInstanceOf(CircuitBreakerOpenError);
    clock.pass(1);
    expect((await agent.run("works")).text).toBe("up");
  });

  it("lets another run try when the trial run is aborted, refused or lost", async () => {
    const clock = handClock();
    const strategy = circuitBreaker({ ...options, probeTimeoutMs: 300, now: clock.now });
    const breaker = new ErrorHandlingPlugin({ strategy, logger });
    const provider = new ScriptedProvider([down, down, { delayMs: Infinity, text: "x" }, up]);
    const agent = new Robota({ provider, plugins: [breaker] });
    for (const input of ["1", "2"]) await agent.run(input);
    clock.pass(500);

    const stop = new AbortController();
    setTimeout(() => stop.abort(), 5);
    await agent.run("stopped", { signal: stop.signal });
    expect(strategy.state("scripted/scripted")).toBe("half-open");

    const limits = new LimitsPlugin({ tokens: 1 });
    const limited = new Robota({ provider, plugins: [breaker, limits] });
    expect((await limited.run("much too long")).error).toMatchObject({ code: "LIMIT_EXCEEDED" });

    const lost = new Robota({
      provider: new ScriptedProvider([{ toolCalls: [{ name: "x", args: {} }] }]),
      tools: [createFunctionTool("x", "Nothing", { type: "object" }, async () => "")],
      plugins: [breaker],
      authorize: () => Promise.reject(new StorageError("IO", "the door to the disk is broken")),
    });
    await expect(lost.run("lost")).rejects.toThrow("door");
    expect(strategy.state("scripted/scripted")).toBe("half-open");

    const hanging = new Robota({
      provider: new ScriptedProvider([{ delayMs: Infinity, text: "x" }]),
      plugins: [breaker],
    });
    const leave = new AbortController();
    const hangs = hanging.run("hangs", { signal: leave.signal });
    await Promise.resolve();
    expect((await agent.run("too early")).error).toBeInstanceOf(CircuitBreakerOpenError);
    clock.pass(300);
    expect((await agent.run("works")).text).toBe("up");
    leave.abort();
    await hangs;
  });

  it("counts neither a person's mistakes nor other providers' failures", async () => {
    const strategy = circuitBreaker({ failureThreshold: 1 });
    const plugin = new ErrorHandlingPlugin({ strategy, logger });
    const error = new AuthenticationError("wrong key", { provider: "p" });
    const one = new Robota({
      provider: new ScriptedProvider([{ error }, down], { model: "one" }),
      plugins: [plugin],
    });
    const two = new Robota({
      provider: new ScriptedProvider([up], { model: "two" }),
      plugins: [plugin],
    });
    await one.run("wrong key");
    expect(strategy.state("scripted/one")).toBe("closed");
    await one.run("down");
    expect(strategy.state("scripted/one")).toBe("open");
    expect((await two.run("go")).text).toBe("up");
  });

  it("combines with a back-off, whose retries it sees too", async () => {
    const breaker = new ErrorHandlingPlugin({
      strategy: "circuit-breaker",
      failureThreshold: 2,
      logger,
    });
    const retry = new ErrorHandlingPlugin({
      strategy: "exponential-backoff",
      maxAttempts: 9,
      firstDelayMs: 1,
      logger,
    });
    const provider = new ScriptedProvider([down, down, up]);
    const agent = new Robota({ provider, plugins: [breaker, retry] });
    expect((await agent.run("go")).error).toBeInstanceOf(CircuitBreakerOpenError);
    expect(provider.remaining).toBe(1);
  });
});

it("accepts a custom strategy", async () => {
  const error = new ProviderError("said better", { provider: "p" });
  const { agent } = agentWith([{ error: "raw" }], {
    strategy: { name: "own", onError: () => ({ error }) },
  });
  expect((await agent.run("go")).error).toBe(error);
});
