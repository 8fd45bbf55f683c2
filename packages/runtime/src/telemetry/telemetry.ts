/** A value of an attribute, as OpenTelemetry allows it. */
export type AttributeValue = string | number | boolean | string[];
/** Attributes of a span or a measurement. Those that are `undefined` are omitted. */
export type Attributes = Record<string, AttributeValue | undefined>;

/** The start of a span. */
export interface SpanStart {
  name: string;
  /** `client` for a request to another service. */
  kind: "internal" | "client";
  /** Milliseconds since the epoch. */
  time: number;
  attributes: Attributes;
}

/** The end of a span. */
export interface SpanEnd {
  /** Milliseconds since the epoch. */
  time: number;
  attributes?: Attributes | undefined;
  /** The failure, as a low-cardinality code such as `RATE_LIMIT`; absent for success. */
  errorType?: string | undefined;
}

/** One timed operation of a trace. */
export interface TelemetrySpan {
  /** Starts a span below this one. */
  startSpan(start: SpanStart): TelemetrySpan;
  /** Records something that happened at `time`, in milliseconds since the epoch. */
  addEvent(name: string, time: number, attributes: Attributes): void;
  /** Ends the span. Called once. */
  end(end: SpanEnd): void;
}

/**
 * A sink for spans and metrics. Its methods must neither throw nor wait: they are called while the agent works.
 * `openTelemetry` implements it over `@opentelemetry/api`.
 */
export interface Telemetry {
  /** Starts the first span of a trace, or one below the host's own current span. */
  startSpan(start: SpanStart): TelemetrySpan;
  /** Adds a value to the histogram `name`, in its unit (`METRICS`). */
  record(name: MetricName, value: number, attributes: Attributes): void;
}

/** A histogram: its unit by UCUM, its description, and the bucket boundaries that the conventions advise. */
export interface MetricDefinition {
  unit: "s" | "{token}";
  description: string;
  boundaries: readonly number[];
}

const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** The histograms, by OpenTelemetry's semantic conventions for generative AI (1.42). */
export const METRICS = {
  "gen_ai.client.token.usage": {
    unit: "{token}",
    description: "Number of input and output tokens used.",
    boundaries: TOKENS,
  },
  "gen_ai.client.operation.duration": {
    unit: "s",
    description: "Duration of a request to a model.",
    boundaries: SECONDS,
  },
  "gen_ai.client.operation.time_to_first_chunk": {
    unit: "s",
    description: "Time from a request to the first chunk of its answer.",
    boundaries: SECONDS,
  },
  "gen_ai.invoke_agent.duration": {
    unit: "s",
    description: "Duration of an agent's turn.",
    boundaries: SECONDS,
  },
  "gen_ai.execute_tool.duration": {
    unit: "s",
    description: "Duration of a tool call.",
    boundaries: SECONDS,
  },
} as const satisfies Record<string, MetricDefinition>;
/** The name of a histogram. */
export type MetricName = keyof typeof METRICS;
