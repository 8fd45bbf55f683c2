import {
  context,
  type Context,
  type Histogram,
  type Meter,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { defined } from "../defined.ts";
import { METRICS, type MetricName, type SpanStart, type Telemetry } from "./telemetry.ts";
import type { TelemetrySpan } from "./telemetry.ts";

export interface OpenTelemetryOptions {
  tracer: Tracer;
  /** Without one no metrics are recorded. */
  meter?: Meter | undefined;
}

/**
 * Sends spans and metrics to OpenTelemetry. A turn becomes a child of the context that is active when it starts, such
 * as an HTTP request's span.
 *
 * @example
 * import { metrics, trace } from "@opentelemetry/api";
 * const telemetry = openTelemetry({ tracer: trace.getTracer("app"), meter: metrics.getMeter("app") });
 */
export function openTelemetry({ tracer, meter }: OpenTelemetryOptions): Telemetry {
  const histograms = new Map<MetricName, Histogram>();
  const histogramOf = (name: MetricName, from: Meter): Histogram => {
    const known = histograms.get(name);
    if (known) return known;
    const { unit, description, boundaries } = METRICS[name];
    const advice = { explicitBucketBoundaries: [...boundaries] };
    const created = from.createHistogram(name, { unit, description, advice });
    histograms.set(name, created);
    return created;
  };
  return {
    startSpan: (start) => startSpan(tracer, start, context.active()),
    record(name, value, attributes) {
      // An SDK keeps a time series for each combination, undefined values included.
      if (meter) histogramOf(name, meter).record(value, defined(attributes));
    },
  };
}

function startSpan(tracer: Tracer, start: SpanStart, parent: Context): TelemetrySpan {
  const { name, attributes, time } = start;
  const kind = start.kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const span = tracer.startSpan(name, { kind, attributes, startTime: time }, parent);
  const inside = trace.setSpan(parent, span);
  return {
    startSpan: (child) => startSpan(tracer, child, inside),
    addEvent: (event, at, facts) => void span.addEvent(event, facts, at),
    end({ time: endTime, attributes: further, errorType }) {
      if (further) span.setAttributes(further);
      if (errorType !== undefined) {
        span.setAttribute("error.type", errorType);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end(endTime);
    },
  };
}
