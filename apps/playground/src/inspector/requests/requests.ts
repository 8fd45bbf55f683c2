import type { Message, SessionEvent, TokenUsage } from "@robota/runtime";
import { costOf } from "@robota/runtime/providers";
import type { EventFold } from "../use-event-fold.ts";

/** One request to the model, as the session's log knows it. */
export interface RequestRow {
  /** Number of the event of its answer. */
  seq: number;
  /** Id of the last message that went with it. */
  lastMessageId: string | undefined;
  turnId: string | undefined;
  provider: string;
  model: string;
  /** Milliseconds from the step before, such as a tool's end, to the whole answer. */
  durationMs: number;
  usage: TokenUsage | undefined;
  isEstimated: boolean;
  /** US dollars; missing when the model's prices are not known. */
  cost: number | undefined;
  /** Number of messages of the conversation that it had. */
  messages: number;
  stopReason: string | undefined;
}

export interface Requests {
  rows: RequestRow[];
  provider: string;
  model: string;
  /** Usage of everything that has it. */
  total: TokenUsage;
  cost: number;
  /** True when a model's prices are missing, so that `cost` is a part of the whole. */
  isPartial: boolean;
  isEstimated: boolean;
  /** The conversation as the model sees it. */
  conversation: Message[];
  lastTime: number;
}

/** Every request of the session, folded from its events. */
export const requests: EventFold<Requests> = {
  create: () => ({
    rows: [],
    provider: "",
    model: "",
    total: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    cost: 0,
    isPartial: false,
    isEstimated: false,
    conversation: [],
    lastTime: 0,
  }),
  apply(state, event) {
    // A subagent has a conversation of its own.
    if (event.parentId !== undefined) return false;
    const before = state.lastTime;
    const isProgress = event.type !== "context_update" && event.type !== "hook_run";
    if (isProgress && !event.type.endsWith("_delta")) state.lastTime = event.time;
    switch (event.type) {
      case "session_init":
      case "model_change":
        state.provider = event.provider;
        state.model = event.model;
        return false;
      case "user_message":
        state.conversation.push(event.message);
        return false;
      case "tool_end":
        state.conversation.push(event.message);
        return false;
      case "compaction":
        state.conversation = summarised(state.conversation, event.summary, event.kept ?? [], event);
        return false;
      case "history_cleared":
        state.conversation = [];
        return false;
      case "assistant_message": {
        const { message } = event;
        if (!message.error) addRow(state, event.seq, event.turnId, message, event.time - before);
        state.conversation.push(message);
        return true;
      }
      default:
        return false;
    }
  },
};

/** The conversation that went with the request whose answer has this number. */
export function conversationOf(events: Iterable<SessionEvent>, seq: number): readonly Message[] {
  const state = requests.create();
  for (const event of events) {
    if (event.seq >= seq) break;
    requests.apply(state, event);
  }
  return state.conversation;
}

type Answer = Extract<Message, { role: "assistant" }>;

function addRow(
  state: Requests,
  seq: number,
  turnId: string | undefined,
  message: Answer,
  durationMs: number,
): void {
  const { usage, stopReason, provider = state.provider, model = state.model } = message;
  // The guide is a script in this tab.
  const cost = provider === "offline" ? 0 : usage && costOf(usage, model);
  const isEstimated = message.metadata?.["estimatedUsage"] === true;
  state.rows.push({
    seq,
    lastMessageId: state.conversation.at(-1)?.id,
    turnId,
    provider,
    model,
    durationMs,
    usage,
    isEstimated,
    cost,
    messages: state.conversation.length,
    stopReason,
  });
  if (cost === undefined) state.isPartial = true;
  else state.cost += cost;
  state.isEstimated ||= isEstimated;
  if (!usage) return;
  state.total.inputTokens += usage.inputTokens;
  state.total.outputTokens += usage.outputTokens;
  state.total.cacheReadTokens += usage.cacheReadTokens;
  state.total.cacheWriteTokens += usage.cacheWriteTokens;
}

function summarised(
  conversation: readonly Message[],
  summary: string,
  kept: readonly string[],
  { seq, time }: { seq: number; time: number },
): Message[] {
  const message: Message = {
    role: "user",
    id: `summary-${seq}`,
    timestamp: new Date(time),
    content: summary,
  };
  return [message, ...conversation.filter(({ id }) => kept.includes(id))];
}
