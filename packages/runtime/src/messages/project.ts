import type { AssistantMessage, Content, Message, ToolCall, ToolMessage } from "./message.ts";

/** One thing that had to be changed so that a provider accepts the history; the history itself stays as it is. */
export interface Repair {
  messageId: string;
  kind:
    | "missing_result"
    | "orphan_result"
    | "duplicate_result"
    | "duplicate_call"
    | "dropped_call"
    | "empty_message"
    | "failure_report"
    | "lone_surrogate"
    | "leading_assistant";
}

/** What the model reads for a call whose result was never recorded. */
export const UNKNOWN_OUTCOME =
  "The call was interrupted and its outcome is unknown. Check the state before you repeat it.";
const CONTINUATION = "Continue from the context below.";

/**
 * The view of a history that every provider accepts: each tool call has exactly one result right behind it, nothing is
 * empty, the first turn is the user's, text is well-formed UTF-16. Incremental: asking again after messages were
 * appended looks at those only. Ask when the last batch of tool calls is answered, as the loop does.
 */
export class RequestView {
  readonly repairs: Repair[] = [];
  readonly #lead: readonly Message[];
  readonly #view: Message[] = [];
  #source: readonly Message[] = [];
  #seen = 0;
  #last: Message | undefined;

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
    this.#view.splice(0, this.#view.length, ...this.#lead);
    this.repairs.length = 0;
  }

  /** Handles the message at `index`, with its results when it calls tools, and returns the next index. */
  #take(source: readonly Message[], index: number): number {
    const message = source[index] as Message;
    if (message.role === "tool") {
      this.#report(message, "orphan_result");
      return index + 1;
    }
    if (message.role !== "assistant") {
      this.#push(message);
      return index + 1;
    }
    if (message.error && message.state === "complete") {
      this.#report(message, "failure_report");
      return index + 1;
    }
    const calls = this.#validCalls(message);
    let next = index + 1;
    const results = new Map<string, ToolMessage>();
    for (let result = source[next]; result?.role === "tool"; result = source[++next]) {
      if (results.has(result.toolCallId)) this.#report(result, "duplicate_result");
      else if (!calls.some((call) => call.id === result.toolCallId))
        this.#report(result, "orphan_result");
      else results.set(result.toolCallId, result);
    }
    this.#push(
      calls.length === (message.toolCalls?.length ?? 0) ? message : withCalls(message, calls),
    );
    for (const call of calls) {
      const result = results.get(call.id);
      if (!result) this.#report(message, "missing_result");
      this.#push(result ?? missingResult(message, call));
    }
    return next;
  }

  #validCalls(message: AssistantMessage): ToolCall[] {
    const calls: ToolCall[] = [];
    for (const call of message.toolCalls ?? []) {
      if (message.state === "interrupted") this.#report(message, "dropped_call");
      else if (calls.some((other) => other.id === call.id)) this.#report(message, "duplicate_call");
      else calls.push(call);
    }
    return calls;
  }

  #push(message: Message): void {
    const content = wellFormed(message.content);
    if (content !== message.content) this.#report(message, "lone_surrogate");
    const sound = content === message.content ? message : { ...message, content };
    if (isEmpty(sound)) {
      this.#report(message, "empty_message");
      return;
    }
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

function withCalls(message: AssistantMessage, calls: ToolCall[]): AssistantMessage {
  const { toolCalls: _, ...rest } = message;
  return calls.length > 0 ? { ...rest, toolCalls: calls } : rest;
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
    errorCode: "unknown_outcome",
  };
}

function isEmpty(message: Message): boolean {
  if (message.role === "tool") return false;
  if (message.role === "assistant" && message.toolCalls?.length) return false;
  if (typeof message.content === "string") return message.content.trim() === "";
  return message.content.every((part) => part.type === "text" && part.text.trim() === "");
}

function wellFormed(content: Content): Content {
  if (typeof content === "string") return content.isWellFormed() ? content : content.toWellFormed();
  const damaged = content.some((part) => part.type === "text" && !part.text.isWellFormed());
  if (!damaged) return content;
  return content.map((part) =>
    part.type === "text" ? { ...part, text: part.text.toWellFormed() } : part,
  );
}
