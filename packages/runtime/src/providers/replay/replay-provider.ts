import { ProviderError } from "../../errors.ts";
import {
  type AssistantMessage,
  contentText,
  type Message,
  type ToolMessage,
  type UserMessage,
} from "../../messages/message.ts";
import { chat, type ChatOptions, type Provider, type ProviderEvent } from "../provider.ts";

/** The part of a session's log entry that a replay uses. Every `SessionEvent` is one. */
export interface RecordedEntry {
  seq: number;
  type: string;
  message?: Message;
  messageId?: string;
  delta?: string;
}

/** One recorded answer and the inputs that led to it. */
interface Step {
  seq: number;
  inputs: (UserMessage | ToolMessage)[];
  deltas: string[];
  answer: AssistantMessage;
}

/**
 * Answers from a recorded session instead of a model. Each request must bring the same inputs as the recorded one (the
 * person's text, the tool results); the first difference fails and names the log entry.
 * @throws {ProviderError} code `REPLAY_DIVERGED`, or `REPLAY_EXHAUSTED` after the last recorded answer
 */
export class ReplayProvider implements Provider {
  readonly name = "replay";
  readonly model: string;
  readonly #steps: readonly Step[];
  #next = 0;

  constructor(entries: Iterable<RecordedEntry>) {
    this.#steps = stepsOf(entries);
    this.model = this.#steps.find(({ answer }) => answer.model)?.answer.model ?? "recorded";
  }

  /** Number of recorded answers left. */
  get remaining(): number {
    return this.#steps.length - this.#next;
  }

  chat(messages: readonly Message[], options?: ChatOptions): Promise<AssistantMessage> {
    return chat(this, messages, options);
  }

  async *chatStream(messages: readonly Message[]): AsyncGenerator<ProviderEvent, void> {
    const step = this.#steps[this.#next];
    if (!step)
      throw failure(
        "REPLAY_EXHAUSTED",
        `The record has ${this.#steps.length} answers and no further one`,
      );
    const difference = firstDifference(step.inputs, newInputs(messages));
    if (difference)
      throw failure("REPLAY_DIVERGED", `Entry ${step.seq} of the record: ${difference}`);
    this.#next += 1;
    for (const delta of step.deltas) yield { type: "text_delta", delta };
    yield { type: "message", message: step.answer };
  }
}

function stepsOf(entries: Iterable<RecordedEntry>): Step[] {
  const steps: Step[] = [];
  let inputs: Step["inputs"] = [];
  let deltas: string[] = [];
  let streamed = "";
  for (const { seq, type, message, messageId, delta } of entries) {
    if (type === "text_delta" && delta !== undefined) {
      if (messageId !== streamed) deltas = [];
      streamed = messageId ?? "";
      // The loop puts a blank line between rounds by itself.
      if (deltas.length > 0 || delta !== "\n\n") deltas.push(delta);
    } else if (message?.role === "user" || message?.role === "tool") {
      inputs.push(message);
    } else if (message?.role === "assistant" && !isReport(message)) {
      steps.push({ seq, inputs, deltas: message.id === streamed ? deltas : [], answer: message });
      inputs = [];
      deltas = [];
    }
  }
  return steps;
}

/** True for a failure reported in the history, which no model wrote. */
function isReport(message: AssistantMessage): boolean {
  return message.error !== undefined && message.state === "complete";
}

/** The messages of a request after the last answer. */
function newInputs(messages: readonly Message[]): Message[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(last + 1).filter(({ role }) => role === "user" || role === "tool");
}

function firstDifference(
  recorded: readonly Message[],
  actual: readonly Message[],
): string | undefined {
  for (let index = 0; index < Math.max(recorded.length, actual.length); index++) {
    const [was, is] = [recorded[index], actual[index]].map(describe);
    if (was !== is) return `recorded ${was ?? "nothing"}, now ${is ?? "nothing"}`;
  }
  return undefined;
}

function describe(message: Message | undefined): string | undefined {
  if (!message) return undefined;
  const from = message.role === "tool" ? `tool ${message.name}` : message.role;
  return `${from}: ${JSON.stringify(contentText(message.content))}`;
}

function failure(code: string, message: string): ProviderError {
  return new ProviderError(message, {
    provider: "replay",
    code,
    recoverable: false,
    hint: "Replay with the same prompts, files and tools as the recorded session.",
  });
}
