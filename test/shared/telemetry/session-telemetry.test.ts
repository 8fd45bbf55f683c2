import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { InteractiveSession, RateLimitError, Robota, Session } from "@robota/runtime";
import { openTelemetry } from "@robota/runtime/opentelemetry";
import { observeAgents, observeEvents, observeSession } from "@robota/runtime/telemetry";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { agentCall, hold, HOLD_CALL, MAIN, played, WORKER } from "../../support/agent-support.ts";
import { afterCrash, echo, echoCall } from "../../support/support.ts";

const USAGE = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 5 };

/** A real OpenTelemetry SDK that keeps what it would send. */
function collector() {
  const spans = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter });
  const meters = new MeterProvider({ readers: [reader] });
  const telemetry = openTelemetry({
    tracer: tracers.getTracer("test"),
    meter: meters.getMeter("test"),
  });
  return {
    telemetry,
    spans: () => spans.getFinishedSpans(),
    /** Sum and count of each histogram's points, by metric and token type. */
    metrics: async () => {
      await reader.forceFlush();
      const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
      await meters.shutdown();
      return Object.fromEntries(
        scopes.flatMap(({ metrics }) =>
          metrics.flatMap(({ descriptor, dataPoints }) =>
            dataPoints.map(({ attributes, value }) => [
              [descriptor.name, attributes["gen_ai.token.type"]].filter(Boolean).join(" "),
              {
                unit: descriptor.unit,
                failed: "error.type" in attributes,
                ...(value as { count: number; sum: number }),
              },
            ]),
          ),
        ),
      );
    },
  };
}

/** The tree of spans as lines, indented below their parents, in the order they began. */
function tree(spans: readonly ReadableSpan[]): string[] {
  const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
      .flatMap((span) => [indent + span.name, ...below(idOf(span), `${indent}  `)]);
  return below(undefined, "");
}

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`No span ${name} among ${spans.map((span) => span.name).join(", ")}`);
  return found;
};

describe("OpenTelemetry of a session", () => {
  it("has a trace a turn, with its requests to the model and its tool calls", async () => {
    const { telemetry, spans, metrics } = collector();
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([
        { toolCalls: [echoCall("x")], usage: USAGE },
        { deltas: ["do", "ne"], usage: USAGE },
      ]),
      tools: [echo],
      permissionMode: "bypassPermissions",
    });
    const stop = observeSession(session, telemetry);
    await session.run("SECRET-PROMPT");
    await session.shutdown();
    stop();

    expect(tree(spans())).toEqual([
      "invoke_agent",
      "  chat scripted",
      "  execute_tool echo",
      "  chat scripted",
    ]);
    const turn = named(spans(), "invoke_agent");
    expect(turn.kind).toBe(SpanKind.INTERNAL);
    expect(turn.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "scripted",
      "gen_ai.conversation.id": session.sessionId,
      // The conventions count cached tokens as input.
      "gen_ai.usage.input_tokens": 250,
      "gen_ai.usage.output_tokens": 20,
    });
    const chat = named(spans(), "chat scripted");
    expect(chat.kind).toBe(SpanKind.CLIENT);
    expect(chat.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.usage.input_tokens": 125,
      "gen_ai.usage.cache_read.input_tokens": 20,
      "gen_ai.usage.cache_creation.input_tokens": 5,
      "gen_ai.response.finish_reasons": ["tool_use"],
    });
    const tool = named(spans(), "execute_tool echo");
    expect(tool.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "echo",
      "gen_ai.tool.type": "function",
    });
    expect(tool.status.code).toBe(SpanStatusCode.UNSET);
    const everything = JSON.stringify(
      spans().map(({ attributes, events }) => [attributes, events]),
    );
    expect(everything).not.toContain("SECRET-PROMPT");
    expect(everything).not.toContain("said x");

    expect(await metrics()).toMatchObject({
      "gen_ai.client.token.usage input": { unit: "{token}", count: 2, sum: 250 },
      "gen_ai.client.token.usage output": { unit: "{token}", count: 2, sum: 20 },
      "gen_ai.client.operation.duration": { unit: "s", count: 2 },
      "gen_ai.client.operation.time_to_first_chunk": { unit: "s", count: 1 },
      "gen_ai.execute_tool.duration": { unit: "s", count: 1, failed: false },
      "gen_ai.invoke_agent.duration": { unit: "s", count: 1 },
    });
  });

  it("marks failures with their codes, and what an abort cut", async () => {
    const { telemetry, spans } = collector();
    const held = hold();
    const failure = new RateLimitError("Too many requests", { provider: "scripted" });
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ error: failure }, { toolCalls: [HOLD_CALL] }]),
      tools: [held.tool],
      permissionMode: "bypassPermissions",
    });
    const stop = observeSession(session, telemetry);
    await expect(session.run("go")).rejects.toMatchObject({ code: "RATE_LIMIT_ERROR" });
    const cut = session.run("again");
    await held.waiting(1);
    session.abort();
    await expect(cut).rejects.toMatchObject({ name: "AbortError" });
    stop();

    const turns = spans().filter(({ name }) => name === "invoke_agent");
    expect(turns.map(({ attributes }) => attributes["error.type"])).toEqual([
      "RATE_LIMIT_ERROR",
      "interrupted",
    ]);
    expect(turns.every(({ status }) => status.code === SpanStatusCode.ERROR)).toBe(true);
    expect(named(spans(), "execute_tool hold").attributes["error.type"]).toBeTypeOf("string");
    await session.shutdown();
  });

  it("shows how long an approval was waited for, and who answered", async () => {
    const { telemetry, spans } = collector();
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([
        {
          toolCalls: [{ id: "1", name: "Write", args: { filePath: "/workspace/a", content: "b" } }],
        },
        { text: "done" },
      ]),
      cwd: "/workspace",
    });
    const stop = observeSession(session, telemetry);
    await session.ready;
    session.on("permission_request", ({ id }) => {
      void session.resolvePermission(id, { decision: "allow" });
    });
    await session.submit("write");
    await session.shutdown();
    stop();

    expect(named(spans(), "wait_for_approval Write").attributes).toMatchObject({
      "robota.permission.decision": "allow",
      "robota.permission.by": "person",
    });
  });

  it("has a subagent's requests and tool calls below the call that started it", async () => {
    const { telemetry, spans } = collector();
    const { session } = played(
      {
        [MAIN]: [{ toolCalls: [agentCall("general-purpose", "look")] }, { text: "done" }],
        [WORKER]: [{ toolCalls: [echoCall("x")] }, { text: "report" }],
      },
      { tools: [echo], permissions: { allow: ["echo"] } },
    );
    const stop = observeSession(session, telemetry);
    await session.submit("go");
    await session.shutdown();
    stop();
    expect(tree(spans())).toEqual([
      "invoke_agent",
      "  chat claude-sonnet-4-6",
      "  execute_tool Agent",
      "    invoke_agent general-purpose",
      "      chat claude-sonnet-4-6",
      "      execute_tool echo",
      "      chat claude-sonnet-4-6",
      "  chat claude-sonnet-4-6",
    ]);
  });

  it("goes on in a new trace when another process began the turn", async () => {
    const { telemetry, spans } = collector();
    const platform = memoryPlatform();
    const provider = new ScriptedProvider([
      { toolCalls: [{ id: "1", name: "Write", args: { filePath: "/workspace/a", content: "b" } }] },
      { text: "done" },
    ]);
    const first = new InteractiveSession({ platform, provider, cwd: "/workspace" });
    const asked = new Promise((resolve) => first.on("permission_request", resolve));
    void first.submit("write").catch(() => {});
    await asked;
    const second = new InteractiveSession({
      platform: memoryPlatform({ storage: await afterCrash(platform.storage, first.sessionId) }),
      provider,
      cwd: "/workspace",
      resumeSessionId: first.sessionId,
    });
    await second.ready;
    const stop = observeSession(second, telemetry);
    const ended = new Promise<void>((resolve) => {
      second.on("event", ({ type }) => type === "turn_end" && resolve());
    });
    const [request] = second.pendingPermissions();
    await second.resolvePermission(request?.id ?? "", { decision: "allow" });
    await ended;
    stop();
    expect(named(spans(), "invoke_agent").attributes).toMatchObject({
      "robota.turn.continued": true,
      "gen_ai.conversation.id": first.sessionId,
    });
    expect(tree(spans())).toContain("  execute_tool Write");
    await second.shutdown();
  });

  it("is the same for a stored session, with the times it happened at", async () => {
    const live = collector();
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([
        { toolCalls: [echoCall("x")], usage: USAGE },
        { text: "ok" },
      ]),
      tools: [echo],
      permissionMode: "bypassPermissions",
    });
    const stop = observeSession(session, live.telemetry);
    await session.run("go");
    stop();
    const stored = collector();
    const end = new AbortController();
    const events = (async function* () {
      for await (const event of session.events({ signal: end.signal })) {
        yield event;
        if (event.type === "turn_end") return;
      }
    })();
    await observeEvents(events, stored.telemetry);
    end.abort();
    await session.shutdown();

    const facts = (spans: readonly ReadableSpan[]): unknown[] =>
      spans
        .map(({ name, startTime, endTime }) => ({ name, startTime, endTime }))
        .filter(({ name }) => name !== "chat scripted");
    expect(tree(stored.spans())).toEqual(tree(live.spans()));
    expect(facts(stored.spans())).toEqual(facts(live.spans()));
  });
});

it("OpenTelemetry of an agent without a session has its runs and tool calls", async () => {
  const { telemetry, spans } = collector();
  const agent = new Robota({
    provider: new ScriptedProvider([{ toolCalls: [echoCall("x")], usage: USAGE }, { text: "ok" }]),
    tools: [echo],
    eventService: observeAgents(telemetry),
  });
  await agent.run("go");
  expect(tree(spans())).toEqual(["invoke_agent", "  execute_tool echo"]);
  expect(named(spans(), "invoke_agent").attributes).toMatchObject({
    "gen_ai.provider.name": "scripted",
    "gen_ai.usage.output_tokens": 10,
  });
});
