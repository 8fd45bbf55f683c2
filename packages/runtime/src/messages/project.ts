import type { AssistantMessage, Message, ToolCall, ToolMessage } from "./message.ts";
import { soundCall, soundMessage } from "./sound.ts";
import type { ToolErrorCode } from "./tool-error-code.ts";

/** One repair that makes a history acceptable to providers; the history itself is unchanged. */
export interface Repair {
  messageId: string;
  kind:
    | "missing_result"
    | "orphan_result"
    | "duplicate_result"
    | "duplicate_call"
    | "renamed_call"
    | "dropped_call"
    | "empty_message"
    | "empty_part"
    | "failure_report"
    | "lone_surrogate"
    | "leading_assistant";
}

/** The result for a call whose own was never recorded. */
export const UNKNOWN_OUTCOME =
  "The call was interrupted and its outcome is unknown. Check the state before you repeat it.";
const CONTINUATION = "Continue from the context below.";

/** A call as sent, with the id by which its result is looked up. */
interface SentCall {
  recordedId: string;
  call: ToolCall;
}

/** State of a view at the start of its last group of messages: calls and their results can arrive one by one. */
interface Mark {
  index: number;
  viewLength: number;
  repairs: number;
  callIds: number;
}

/**
 * A view of the history that every provider accepts: each tool call has a unique id and exactly one result right behind
 * it, nothing is empty, the first turn is the user's, text is well-formed UTF-16. Incremental: later calls look only at
 * appended messages, and at the last calls when their results are among them.
 */
export class RequestView {
  readonly repairs: Repair[] = [];
  readonly #lead: readonly Message[];
  readonly #view: Message[] = [];
  /** Ids in the order of assignment. */
  #callIds: Set<string> | undefined;
  #source: readonly Message[] = [];
  #seen = 0;
  #last: Message | undefined;
  #group: Mark | undefined;

  /** `lead`: messages in front of every view, such as the system message. */
  constructor(lead: readonly Message[] = []) {
    this.#lead = lead;
  }

  /** The view of `source`, which must be the array of the last call grown at its end, or another array. */
  update(source: readonly Message[]): readonly Message[] {
    const grown =
      this.#seen > 0 &&
      source === this.#source &&
      source.length >= this.#seen &&
      source[this.#seen - 1] === this.#last;
    if (!grown) this.#restart(source);
    else if (source[this.#seen]?.role === "tool") this.#reopenGroup();
    let index = this.#seen;
    while (index < source.length) index = this.#take(source, index);
    this.#seen = index;
    this.#last = source[index - 1];
    return this.#view;
  }

  #restart(source: readonly Message[]): void {
    this.#source = source;
    this.#seen = 0;
    this.#last = undefined;
    this.#group = undefined;
    this.#callIds = undefined;
    this.#view.splice(0, this.#view.length, ...this.#lead);
    this.repairs.length = 0;
  }

  /** Takes back the last group, because results have come that belong to its calls. */
  #reopenGroup(): void {
    if (!this.#group) return;
    const { index, viewLength, repairs, callIds } = this.#group;
    this.#seen = index;
    this.#view.length = viewLength;
    this.repairs.length = repairs;
    for (const id of [...(this.#callIds ?? [])].slice(callIds)) this.#callIds?.delete(id);
  }

  /** Handles the message at `index`, with its results when it calls tools, and returns the next index. */
  #take(source: readonly Message[], index: number): number {
    const message = source[index] as Message;
    this.#group = undefined;
    if (message.role === "tool") {
      this.#report(message, "orphan_result");
      return index + 1;
    }
    if (message.role !== "assistant") {
      this.#push(message);
      return index + 1;
    }
    this.#group = {
      index,
      viewLength: this.#view.length,
      repairs: this.repairs.length,
      callIds: this.#callIds?.size ?? 0,
    };
    if (message.error && message.state === "complete") {
      this.#report(message, "failure_report");
      return index + 1;
    }
    const calls = this.#soundCalls(message);
    let next = index + 1;
    const results = new Map<string, ToolMessage>();
    for (let result = source[next]; result?.role === "tool"; result = source[++next]) {
      const { toolCallId } = result;
      if (results.has(toolCallId)) this.#report(result, "duplicate_result");
      else if (!calls.some(({ recordedId }) => recordedId === toolCallId))
        this.#report(result, "orphan_result");
      else results.set(toolCallId, result);
    }
    this.#push(withCalls(message, calls));
    for (const { recordedId, call } of calls) {
      const result = results.get(recordedId);
      if (!result) this.#report(message, "missing_result");
      this.#push(result ? resultOf(result, call) : missingResult(message, call));
    }
    return next;
  }

  #soundCalls(message: AssistantMessage): SentCall[] {
    const calls: SentCall[] = [];
    for (const recorded of message.toolCalls ?? []) {
      const { id: recordedId } = recorded;
      if (message.state === "interrupted" || recorded.name.trim() === "") {
        this.#report(message, "dropped_call");
      } else if (calls.some((other) => other.recordedId === recordedId)) {
        this.#report(message, "duplicate_call");
      } else {
        const call = soundCall(recorded);
        if (call !== recorded) this.#report(message, "lone_surrogate");
        const id = this.#freeId(recordedId);
        if (id !== recordedId) this.#report(message, "renamed_call");
        calls.push({ recordedId, call: id === call.id ? call : { ...call, id } });
        (this.#callIds ??= new Set()).add(id);
      }
    }
    return calls;
  }

  /** The id of a call, or a similar one when an earlier call uses it: some servers restart counting in each answer. */
  #freeId(recorded: string): string {
    const base = recorded.trim() !== "" && recorded.isWellFormed() ? recorded : "call";
    for (let number = 1; ; number++) {
      const id = number === 1 && base === recorded ? recorded : `${base}_${number}`;
      if (!this.#callIds?.has(id)) return id;
    }
  }

  #push(message: Message): void {
    const { message: sound, repairs } = soundMessage(message);
    for (const kind of repairs) this.#report(message, kind);
    if (!sound) return;
    if (sound.role === "assistant" && !this.#view.some((other) => other.role !== "system")) {
      this.#report(message, "leading_assistant");
      const { id, timestamp } = message;
      this.#view.push({ role: "user", id: `${id}-lead`, timestamp, content: CONTINUATION });
    }
    this.#view.push(sound);
  }

  #report(message: Message, kind: Repair["kind"]): void {
    this.repairs.push({ messageId: message.id, kind });
  }
}

/** A view with the system message in front. */
export function createRequestView(systemMessage: string, timestamp: Date): RequestView {
  if (systemMessage === "") return new RequestView();
  return new RequestView([{ role: "system", id: "system", timestamp, content: systemMessage }]);
}

/** The calls of the last assistant message that have no result yet, in order. */
export function unansweredCalls(messages: readonly Message[]): ToolCall[] {
  let index = messages.length - 1;
  const answered = new Set<string>();
  for (let message = messages[index]; message?.role === "tool"; message = messages[--index]) {
    answered.add(message.toolCallId);
  }
  const last = messages[index];
  if (last?.role !== "assistant" || last.state === "interrupted") return [];
  return (last.toolCalls ?? []).filter((call) => !answered.has(call.id));
}

/** The message with these calls; the same object when they are its own, so that its cached form stays valid. */
function withCalls(message: AssistantMessage, calls: readonly SentCall[]): AssistantMessage {
  const { toolCalls = [] } = message;
  const isSame =
    toolCalls.length === calls.length &&
    calls.every(({ call }, index) => call === toolCalls[index]);
  if (isSame) return message;
  const { toolCalls: _, ...rest } = message;
  return calls.length > 0 ? { ...rest, toolCalls: calls.map(({ call }) => call) } : rest;
}

function resultOf(result: ToolMessage, call: ToolCall): ToolMessage {
  if (result.toolCallId === call.id && result.name === call.name) return result;
  return { ...result, toolCallId: call.id, name: call.name };
}

function missingResult(message: AssistantMessage, call: ToolCall): ToolMessage {
  return {
    role: "tool",
    id: `${message.id}-${call.id}`,
    timestamp: message.timestamp,
    toolCallId: call.id,
    name: call.name,
    content: UNKNOWN_OUTCOME,
    isError: true,
    errorCode: "unknown_outcome" satisfies ToolErrorCode,
  };
}
