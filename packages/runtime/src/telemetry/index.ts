// Spans and metrics of sessions and agents, by OpenTelemetry's conventions for generative AI.
export { observeAgents } from "./observe-agents.ts";
export { observeEvents, observeSession, type ObservableSession } from "./observe-session.ts";
export {
  type Attributes,
  type AttributeValue,
  type MetricDefinition,
  type MetricName,
  METRICS,
  type SpanEnd,
  type SpanStart,
  type Telemetry,
  type TelemetrySpan,
} from "./telemetry.ts";
