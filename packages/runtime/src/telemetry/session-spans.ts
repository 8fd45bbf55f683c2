import type { EventHeader, SessionEvent, SessionEventOf } from "../session/log/events.ts";
import { type TimedSpan, recordChat, startAgent, startTool } from "./spans.ts";
import { INTERRUPTED, type ModelNames, usageAttributes } from "./attributes.ts";
import { SubagentSpans } from "./subagent-spans.ts";
import type { Attributes, Telemetry, TelemetrySpan } from "./telemetry.ts";

/**
 * The spans and metrics of one session, a fold of its events: live ones, or a stored session's, whose times they have.
 * A turn is a trace; below it are its requests to the model, its tool calls, the waits for approvals, and subagents.
 */
export class SessionSpans {
  readonly #telemetry: Telemetry;
  readonly #subagents: SubagentSpans;
  readonly #tools = new Map<string, TimedSpan>();
  /** Waits for approvals, by request. */
  readonly #waits = new Map<string, TelemetrySpan>();
  #model: ModelNames;
  #turn: TimedSpan | undefined;
  /** Time of the last event that a request to the model may follow, in milliseconds since the epoch. */
  #requestTime = 0;
  #firstChunkTime: number | undefined;

  /** `model` is the session's at the first event that is applied. */
  constructor(telemetry: Telemetry, model: ModelNames = {}) {
    this.#telemetry = telemetry;
    this.#model = model;
    this.#subagents = new SubagentSpans(telemetry);
  }

  apply(event: SessionEvent): void {
    this.#applyEvent(event);
    if (!STREAMED.has(event.type)) this.#requestTime = event.time;
  }

  /** Ends every open span at `time`, in milliseconds since the epoch. */
  close(time: number): void {
    this.#endTurn(time);
    this.#subagents.close(time);
  }

  #applyEvent(event: SessionEvent): void {
    if (!this.#turn && event.turnId !== undefined && WORK.has(event.type))
      this.#startTurn(event, { "robota.turn.continued": true });
    switch (event.type) {
      case "session_init":
      case "model_change":
        this.#model = { provider: event.provider, model: event.model };
        break;
      case "session_resume":
        if (event.cut) this.close(this.#requestTime);
        break;
      case "session_shutdown":
        this.close(event.time);
        break;
      case "turn_start":
        // A turn that was cut has no end in the log.
        this.#endTurn(this.#requestTime);
        this.#startTurn(event);
        break;
      case "turn_end":
        this.#applyTurnEnd(event);
        break;
      case "text_delta":
      case "thinking_delta":
        this.#firstChunkTime ??= event.time;
        break;
      case "assistant_message":
        this.#applyAnswer(event);
        break;
      case "compaction":
        this.#turn?.span.addEvent("robota.compaction", event.time, {
          "robota.compaction.trigger": event.trigger,
          "robota.compaction.tokens_before": event.before,
          "robota.compaction.tokens_after": event.after,
        });
        break;
      default:
        this.#applyToolEvent(event);
    }
  }

  #applyToolEvent(event: SessionEvent): void {
    switch (event.type) {
      case "tool_start":
        if (this.#turn)
          this.#tools.set(event.toolCallId, startTool(this.#telemetry, this.#turn.span, event));
        break;
      case "tool_end":
        this.#applyToolEnd(event);
        break;
      case "permission_request":
        this.#startWait(event);
        break;
      case "permission_decision":
        this.#endWait(event);
        break;
      case "agent_start":
        this.#subagents.start(event, this.#tools.get(event.parentId)?.span ?? this.#turn?.span);
        break;
      case "agent_message":
        this.#subagents.applyMessage(event);
        break;
      case "agent_end":
        this.#subagents.end(event);
        break;
      default:
    }
  }

  #startTurn({ sessionId, turnId, time }: EventHeader, attributes: Attributes = {}): void {
    const facts = { ...this.#model, conversationId: sessionId, turnId, time, attributes };
    this.#turn = startAgent(this.#telemetry, facts);
  }

  #applyTurnEnd(event: SessionEventOf<"turn_end">): void {
    const { time, state, usage, cost, error } = event;
    const turn = this.#turn;
    this.#turn = undefined;
    this.#endParts(time);
    turn?.end({
      time,
      errorType: state === "complete" ? undefined : (error?.code ?? INTERRUPTED),
      attributes: { ...usageAttributes(usage), "robota.turn.cost_usd": cost },
    });
  }

  #applyAnswer({ message, time, sessionId }: SessionEventOf<"assistant_message">): void {
    const firstChunkTime = this.#firstChunkTime;
    this.#firstChunkTime = undefined;
    // A message without a model is a report of this program, such as of a failure before any answer.
    if (!this.#turn || (message.model === undefined && !message.error)) return;
    const { provider = this.#model.provider, model = this.#model.model, usage, error } = message;
    recordChat(this.#telemetry, this.#turn.span, {
      provider,
      model,
      conversationId: sessionId,
      startTime: this.#requestTime,
      endTime: time,
      firstChunkTime,
      usage,
      finishReason: message.stopReason,
      errorType: error?.code ?? (message.state === "interrupted" ? INTERRUPTED : undefined),
    });
  }

  #applyToolEnd({ toolCallId, time, outcome }: SessionEventOf<"tool_end">): void {
    const { success, denied, errorCode, exitCode } = outcome;
    const failure = errorCode ?? (denied ? "denied" : "_OTHER");
    this.#tools.get(toolCallId)?.end({
      time,
      errorType: success ? undefined : failure,
      attributes: { "robota.tool.exit_code": exitCode },
    });
    this.#tools.delete(toolCallId);
  }

  #startWait({ request, time }: SessionEventOf<"permission_request">): void {
    const { tool, toolCallId, id, rule } = request;
    const parent = this.#subagents.spanOf(request.agent?.id) ?? this.#turn?.span;
    const span = parent?.startSpan({
      name: `wait_for_approval ${tool}`,
      kind: "internal",
      time,
      attributes: {
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": toolCallId,
        "robota.permission.rule": rule,
      },
    });
    if (span) this.#waits.set(id, span);
  }

  #endWait({ requestId, decision, time }: SessionEventOf<"permission_decision">): void {
    this.#waits.get(requestId)?.end({
      time,
      attributes: {
        "robota.permission.decision": decision.allow ? "allow" : "deny",
        "robota.permission.scope": decision.scope,
        "robota.permission.by": decision.by,
      },
    });
    this.#waits.delete(requestId);
  }

  #endTurn(time: number): void {
    const turn = this.#turn;
    this.#turn = undefined;
    this.#endParts(time);
    turn?.end({ time, errorType: INTERRUPTED });
  }

  /** Ends what a turn left open. */
  #endParts(time: number): void {
    for (const wait of this.#waits.values()) wait.end({ time, errorType: INTERRUPTED });
    for (const tool of this.#tools.values()) tool.end({ time, errorType: INTERRUPTED });
    this.#waits.clear();
    this.#tools.clear();
    this.#firstChunkTime = undefined;
  }
}

/** Events of a running turn. Without its start it began before the observation, in another process perhaps. */
const WORK: ReadonlySet<SessionEvent["type"]> = new Set([
  "turn_resume",
  "text_delta",
  "thinking_delta",
  "assistant_message",
  "permission_request",
  "permission_decision",
  "tool_start",
]);

/** Events that arrive while a request or a tool runs: none of them is the last thing before a request. */
const STREAMED: ReadonlySet<SessionEvent["type"]> = new Set([
  "text_delta",
  "thinking_delta",
  "tool_output",
  "queue_update",
  "agent_message",
]);
