import { inputTokens, modelAttributes, type ModelNames, usageAttributes } from "./attributes.ts";
import type { StopReason, TokenUsage } from "../messages/message.ts";
import type {
  Attributes,
  MetricName,
  SpanEnd,
  SpanStart,
  Telemetry,
  TelemetrySpan,
} from "./telemetry.ts";

/** A span with its duration metric, which has the same duration and error. */
export class TimedSpan {
  readonly span: TelemetrySpan;
  readonly #telemetry: Telemetry;
  readonly #metric: MetricName;
  readonly #start: SpanStart;
  /** Attributes of the metric beside the error. Few values each: a time series is kept for every combination. */
  readonly #dimensions: Attributes;

  constructor(
    telemetry: Telemetry,
    metric: MetricName,
    start: SpanStart,
    options: { parent?: TelemetrySpan | undefined; dimensions: Attributes },
  ) {
    this.#telemetry = telemetry;
    this.#metric = metric;
    this.#start = start;
    this.#dimensions = options.dimensions;
    this.span = (options.parent ?? telemetry).startSpan(start);
  }

  get startTime(): number {
    return this.#start.time;
  }

  end(end: SpanEnd): void {
    this.span.end(end);
    const seconds = (end.time - this.#start.time) / 1000;
    const attributes = { ...this.#dimensions, "error.type": end.errorType };
    this.#telemetry.record(this.#metric, seconds, attributes);
  }
}

/** A request to a model that has been answered. */
export interface ChatFacts extends ModelNames {
  conversationId: string;
  /** Milliseconds since the epoch. */
  startTime: number;
  endTime: number;
  /** Time of the answer's first words, when they were seen. */
  firstChunkTime?: number | undefined;
  usage?: TokenUsage | undefined;
  finishReason?: StopReason | undefined;
  errorType?: string | undefined;
}

/** Records the span and the metrics of a request to a model. */
export function recordChat(telemetry: Telemetry, parent: TelemetrySpan, facts: ChatFacts): void {
  const { conversationId, startTime: time, firstChunkTime, usage, finishReason, model } = facts;
  const dimensions = { "gen_ai.operation.name": "chat", ...modelAttributes(facts) };
  const firstChunkSeconds =
    firstChunkTime === undefined ? undefined : (firstChunkTime - time) / 1000;
  const chat = new TimedSpan(
    telemetry,
    "gen_ai.client.operation.duration",
    {
      name: model === undefined ? "chat" : `chat ${model}`,
      kind: "client",
      time,
      attributes: { ...dimensions, "gen_ai.conversation.id": conversationId },
    },
    { parent, dimensions },
  );
  chat.end({
    time: facts.endTime,
    errorType: facts.errorType,
    attributes: {
      ...usageAttributes(usage),
      "gen_ai.response.model": model,
      "gen_ai.response.finish_reasons": finishReason && [finishReason],
      "gen_ai.response.time_to_first_chunk": firstChunkSeconds,
    },
  });
  if (firstChunkSeconds !== undefined) {
    const metric = "gen_ai.client.operation.time_to_first_chunk";
    telemetry.record(metric, firstChunkSeconds, dimensions);
  }
  if (!usage) return;
  const record = (type: string, tokens: number): void =>
    telemetry.record("gen_ai.client.token.usage", tokens, {
      ...dimensions,
      "gen_ai.token.type": type,
    });
  record("input", inputTokens(usage));
  record("output", usage.outputTokens);
}

/** Starts a tool call's span. */
export function startTool(
  telemetry: Telemetry,
  parent: TelemetrySpan,
  { tool, toolCallId, time }: { tool: string; toolCallId: string; time: number },
): TimedSpan {
  const dimensions = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool };
  const attributes = {
    ...dimensions,
    "gen_ai.tool.call.id": toolCallId,
    "gen_ai.tool.type": "function",
  };
  const start: SpanStart = { name: `execute_tool ${tool}`, kind: "internal", time, attributes };
  return new TimedSpan(telemetry, "gen_ai.execute_tool.duration", start, { parent, dimensions });
}

/** The agent that a span is about. */
export interface AgentFacts extends ModelNames {
  conversationId: string;
  /** Name of a subagent's definition. */
  name?: string | undefined;
  /** A subagent's id. */
  id?: string | undefined;
  /** The turn's id, for looking it up in the session's log. */
  turnId?: string | undefined;
  /** Milliseconds since the epoch. */
  time: number;
  /** Further attributes of the span. */
  attributes?: Attributes;
}

/** Starts the span of an agent's turn. */
export function startAgent(
  telemetry: Telemetry,
  { conversationId, name, id, turnId, time, attributes: further, ...model }: AgentFacts,
  parent?: TelemetrySpan,
): TimedSpan {
  const dimensions = {
    "gen_ai.operation.name": "invoke_agent",
    ...modelAttributes(model),
    "gen_ai.agent.name": name,
  };
  const attributes = {
    ...dimensions,
    "gen_ai.conversation.id": conversationId,
    "gen_ai.agent.id": id,
    "robota.turn.id": turnId,
    ...further,
  };
  const start: SpanStart = {
    name: name === undefined ? "invoke_agent" : `invoke_agent ${name}`,
    kind: "internal",
    time,
    attributes,
  };
  return new TimedSpan(telemetry, "gen_ai.invoke_agent.duration", start, { parent, dimensions });
}
