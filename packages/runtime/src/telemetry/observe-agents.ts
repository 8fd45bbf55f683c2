import type { EventService, OwnedEvent } from "../events/event-service.ts";
import type { TokenUsage } from "../messages/message.ts";
import { usageAttributes } from "./attributes.ts";
import { type TimedSpan, startAgent, startTool } from "./spans.ts";
import type { Telemetry } from "./telemetry.ts";

/**
 * The `eventService` of a `Robota` that sends spans and metrics of its runs and tool calls to `telemetry`. They contain
 * no words of the conversation. A session is observed by `observeSession` instead, which also sees each request.
 *
 * @example
 * const agent = new Robota({ provider, eventService: observeAgents(openTelemetry({ tracer })) });
 */
export function observeAgents(telemetry: Telemetry): EventService {
  const open = new Map<string, TimedSpan>();
  const end = (id: string, ...rest: Parameters<TimedSpan["end"]>): void => {
    open.get(id)?.end(...rest);
    open.delete(id);
  };
  return {
    emit(event) {
      const { name, time, data } = event;
      const id = ownerOf(event);
      if (name === "execution.start") open.set(id, startRun(telemetry, event));
      else if (name === "execution.complete")
        end(id, { time, attributes: usageAttributes(data["usage"] as TokenUsage) });
      else if (name === "execution.error") end(id, { time, errorType: String(data["code"]) });
      else if (name === "tool.execute_start") {
        const run = open.get(ownerOf({ ...event, ownerPath: event.ownerPath.slice(0, -1) }));
        const toolCallId = event.ownerPath.at(-1)?.ownerId ?? "";
        if (run)
          open.set(
            id,
            startTool(telemetry, run.span, { tool: String(data["tool"]), toolCallId, time }),
          );
      } else if (name === "tool.execute_success") end(id, { time });
      else if (name === "tool.execute_error")
        end(id, { time, errorType: String(data["errorCode"]) });
    },
  };
}

/** The owner and its ancestors as a key. */
function ownerOf({ ownerPath }: OwnedEvent): string {
  return JSON.stringify(ownerPath);
}

function startRun(telemetry: Telemetry, { ownerPath, time, data }: OwnedEvent): TimedSpan {
  const agent = ownerPath.findLast(({ ownerType }) => ownerType === "agent")?.ownerId ?? "";
  return startAgent(telemetry, {
    conversationId: agent,
    provider: String(data["provider"]),
    model: String(data["model"]),
    time,
  });
}
