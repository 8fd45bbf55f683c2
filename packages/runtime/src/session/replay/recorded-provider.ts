import { abortError, RobotaError } from "../../errors.ts";
import { type AssistantMessage, contentText, type Message } from "../../messages/message.ts";
import {
  chat,
  type ChatOptions,
  type Provider,
  type ProviderEvent,
} from "../../providers/provider.ts";
import { isAgentReport } from "../agents/open-agents.ts";
import type { SessionEventOf } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import type { ReplayCursor } from "./replay-cursor.ts";
import { storageFailureOf } from "./recorded-refusals.ts";
import { REPORT } from "./texts.ts";

interface Made {
  name: string;
  model: string;
}

/** Repeats the recorded answers of the model, word by word, including failures. */
export class RecordedProvider implements Provider {
  readonly #cursor: ReplayCursor;
  readonly #init: SessionEventOf<"session_init"> | undefined;
  /** Steers the running turn as the person did; applied at its next step. */
  readonly #steer: (texts: readonly string[]) => void;

  constructor(
    cursor: ReplayCursor,
    init: SessionEventOf<"session_init"> | undefined,
    steer: (texts: readonly string[]) => void,
  ) {
    this.#cursor = cursor;
    this.#init = init;
    this.#steer = steer;
  }

  get name(): string {
    return this.#made().name;
  }

  get model(): string {
    return this.#made().model;
  }

  chat(messages: readonly Message[], options?: ChatOptions): Promise<AssistantMessage> {
    return chat(this, messages, options);
  }

  async *chatStream(): AsyncGenerator<ProviderEvent, void> {
    for (;;) {
      await this.#cursor.due(this.#cursor.next);
      const event = this.#cursor.peek();
      if (event?.type !== "text_delta" && event?.type !== "thinking_delta") break;
      await this.#cursor.due(this.#cursor.find((candidate) => candidate === event));
      yield { type: event.type, delta: event.delta };
    }
    yield { type: "message", message: await this.#answer() };
  }

  async #answer(): Promise<AssistantMessage> {
    const cursor = this.#cursor;
    const next = cursor.peek();
    if (next?.type === "compaction") return summaryOf(next);
    if (isNote(next, "auto-compact-failed"))
      throw new RobotaError("The recorded call failed", {
        code: "PROVIDER_ERROR",
        category: "provider",
        recoverable: false,
      });
    if (next?.type === "turn_end") {
      // An answer that could not be stored, and left nothing.
      if (storageFailureOf(next)) return summaryOf({ summary: "", seq: next.seq, time: next.time });
      throw abortError();
    }
    const index = cursor.find((event) => event === next);
    if (next?.type !== "assistant_message") {
      await cursor.due();
      throw abortError();
    }
    await cursor.due(index);
    const { message } = next;
    const failure = message.error && this.#failureOf(message, message.error);
    if (failure) throw failure;
    this.#steer(this.#steeringBehind(index ?? 0));
    return message;
  }

  /** The thrown error; `undefined` when the failure came as part of the answer. */
  #failureOf(
    message: AssistantMessage,
    reported: { code: string; message: string },
  ): Error | undefined {
    const { error, response } = this.#cursor.findOf("turn_end") ?? {};
    const isReport = message.content === `${REPORT}${reported.message}`;
    const isSame = error?.code === reported.code && error.message === reported.message;
    // The text of an answer marked as interrupted belongs to the turn; that of a failed call does not.
    if (!isReport && isSame && response === contentText(message.content)) return undefined;
    const { hint } = isSame ? error : { hint: undefined };
    return new RobotaError(reported.message, {
      code: reported.code,
      category: "provider",
      recoverable: false,
      hint,
    });
  }

  /** The person's messages between an answer and the next one. */
  #steeringBehind(index: number): string[] {
    const texts: string[] = [];
    for (let at = index + 1; ; at++) {
      const event = this.#cursor.at(at);
      if (!event || event.type === "assistant_message" || event.type === "turn_end") return texts;
      if (event.type === "session_resume" || event.type === "turn_start") return texts;
      if (event.type !== "user_message" || typeof event.message.content !== "string") continue;
      if (isAgentReport(event)) continue;
      const before = this.#cursor.at(at - 1);
      const byHook = before?.type === "hook_run" && before.event === "Stop";
      if (!byHook) texts.push(event.message.content);
    }
  }

  #made(): Made {
    const cursor = this.#cursor;
    if (this.#init && cursor.peek() === this.#init)
      return { name: this.#init.provider, model: this.#init.model };
    // Searched in one turn only: a record may have none at all.
    const found = cursor.find(
      (event) =>
        event.type === "turn_end" ||
        (event.type === "assistant_message" && event.message.provider !== undefined),
    );
    const event = found === undefined ? undefined : cursor.at(found);
    const { provider, model } = event?.type === "assistant_message" ? event.message : {};
    return {
      name: provider ?? this.#init?.provider ?? "recorded",
      model: model ?? this.#init?.model ?? "recorded",
    };
  }
}

type Summary = Pick<SessionEventOf<"compaction">, "summary" | "seq" | "time" | "used">;

function summaryOf({ summary, seq, time, used }: Summary): AssistantMessage {
  return {
    role: "assistant",
    id: `summary-${seq}`,
    timestamp: new Date(time),
    content: summary,
    state: "complete",
    ...used,
  };
}
