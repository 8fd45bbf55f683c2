import { defined } from "../../defined.ts";
import { contentText, type ToolArgs } from "../../messages/message.ts";
import { headAndTail } from "../../tools/text-limit.ts";
import type { AgentMessage, ModelUsage, SessionEvent, SessionEventBody } from "../log/events.ts";
import { byModel } from "./open-agents.ts";

/** Characters of one message that a transcript keeps. */
const MAX_TEXT = 20_000;
/** Characters of one text in the arguments of a call. */
const MAX_ARGUMENT = 2_000;
/** Characters of all messages of one agent; later ones are kept without their text. */
const MAX_TRANSCRIPT = 1_000_000;
const LEFT_OUT = "[left out: the transcript is full]";

/**
 * Turns the events of an agent's session into those of the session it works for: whole messages, no streaming words. An
 * agent of that agent passes through, named as one of the agent's.
 */
export class AgentRecorder {
  readonly #place: { parentId: string; agentId: string };
  readonly #used: [model: string, usage: ModelUsage["usage"]][] = [];
  readonly #model: string;
  #length = 0;

  /** @param model the model of answers that do not name theirs */
  constructor(place: { parentId: string; agentId: string }, model: string) {
    this.#place = place;
    this.#model = model;
  }

  get used(): ModelUsage[] {
    return byModel(this.#used);
  }

  /** The event of the parent's log for one of the agent's, if it has one. */
  take(event: SessionEvent): SessionEventBody | undefined {
    switch (event.type) {
      case "user_message":
        return this.#message({ role: "user", text: contentText(event.message.content) });
      case "assistant_message": {
        const { content, toolCalls, usage, model = this.#model } = event.message;
        if (usage) this.#used.push([model, usage]);
        const calls = toolCalls?.map(({ id, name, args }) => ({ id, name, args: bounded(args) }));
        return this.#message(
          defined({ role: "assistant", text: contentText(content), toolCalls: calls }),
          usage && { model, usage },
        );
      }
      case "tool_end": {
        for (const { usage, model = this.#model } of event.outcome.answers ?? [])
          if (usage) this.#used.push([model, usage]);
        const { toolCallId, tool, message } = event;
        const text = contentText(message.content);
        const failed = message.isError ? { isError: true } : {};
        return this.#message({ role: "tool", text, toolCallId, tool, ...failed });
      }
      case "compaction":
        if (event.used) this.#used.push([event.used.model, event.used.usage]);
        return undefined;
      case "agent_start":
      case "agent_message":
      case "agent_end":
        return this.#passOn(event);
      default:
        return undefined;
    }
  }

  #message(entry: AgentMessage, used?: ModelUsage): SessionEventBody {
    const isFull = this.#length >= MAX_TRANSCRIPT;
    const text = isFull && entry.text !== "" ? LEFT_OUT : headAndTail(entry.text, MAX_TEXT);
    const toolCalls = isFull
      ? entry.toolCalls?.map((call) => ({ ...call, args: {} }))
      : entry.toolCalls;
    this.#length += text.length + (toolCalls ? JSON.stringify(toolCalls).length : 0);
    const kept = { ...entry, text, ...defined({ toolCalls }) };
    return { type: "agent_message", ...this.#place, entry: kept, ...defined({ used }) };
  }

  #passOn(
    event: Extract<SessionEvent, { type: "agent_start" | "agent_message" | "agent_end" }>,
  ): SessionEventBody {
    const { v: _v, seq: _seq, sessionId: _id, time: _time, turnId: _turn, ...body } = event;
    const { parentId, agentId } = this.#place;
    return body.type === "agent_start"
      ? { ...body, parentId, startedBy: body.startedBy ?? agentId }
      : { ...body, parentId };
  }
}

function bounded(args: ToolArgs): ToolArgs {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (typeof value === "string") return [name, headAndTail(value, MAX_ARGUMENT)];
      const text = JSON.stringify(value) ?? "";
      return [name, text.length > MAX_ARGUMENT ? headAndTail(text, MAX_ARGUMENT) : value];
    }),
  );
}
