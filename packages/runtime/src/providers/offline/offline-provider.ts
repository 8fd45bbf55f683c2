import { abortError, NetworkError, type ProviderError } from "../../errors.ts";
import { type AssistantMessage, contentText, type Message } from "../../messages/message.ts";
import { reportable } from "../../messages/reported-error.ts";
import { Answer } from "../answer.ts";
import { failureOf } from "../errors.ts";
import { type ChatOptions, notify, type Provider, type ProviderEvent } from "../provider.ts";
import { streamEvents } from "../stream.ts";
import { wait } from "../../abort.ts";
import type { FailureKind } from "./command.ts";
import { leftOver, report } from "./report.ts";
import { asksForSummary } from "./asks-for-summary.ts";
import { callId, type NotUnderstood, standing, type Standing } from "./script.ts";

export interface OfflineProviderOptions {
  /** Milliseconds between words, for people to read along; none unless given. */
  wordDelayMs?: number | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

const NAME = "offline";
const MODEL = "script-1";
/** As sessions estimate, so that their meter and these counts agree. */
const CHARACTERS_PER_TOKEN = 2;
/** Words between two turns of the event loop, so that an abort and the screen are not kept waiting. */
const WORDS_AT_ONCE = 32;

/**
 * Answers without key and network: executes a small command language (`help` shows it) by calling the offered tools,
 * and reports only their results. A script, not a model; everything around it is the real thing.
 */
export class OfflineProvider implements Provider {
  readonly name = NAME;
  readonly model = MODEL;
  readonly #wordDelayMs: number;
  readonly #now: () => number;
  readonly #randomUUID: () => string;

  constructor(options: OfflineProviderOptions = {}) {
    this.#wordDelayMs = options.wordDelayMs ?? 0;
    this.#now = options.now ?? Date.now;
    this.#randomUUID = options.randomUUID ?? (() => crypto.randomUUID());
  }

  chat(messages: readonly Message[], options: ChatOptions = {}): Promise<AssistantMessage> {
    return this.generate(messages, options, (event) => notify(options, event));
  }

  chatStream(
    messages: readonly Message[],
    options: ChatOptions = {},
  ): AsyncIterable<ProviderEvent> {
    return streamEvents((...all) => this.generate(...all), messages, options);
  }

  async generate(
    messages: readonly Message[],
    options: ChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> {
    const { signal } = options;
    if (signal?.aborted) throw abortError();
    const answer = new Answer(NAME, MODEL, onEvent);
    answer.id = this.#randomUUID();
    const speech = new Speech(answer, this.#wordDelayMs, signal);
    try {
      const where = standing(messages);
      if (Array.isArray(messages.at(-1)?.content)) {
        const { unread } = await import("./unread.ts");
        await speech.say(unread(messages));
      }
      if (asksForSummary(messages)) {
        const { scriptedSummary } = await import("./summary.ts");
        await speech.say(scriptedSummary(messages));
      } else if ("line" in where) await this.#refuse(where, options, speech);
      else await this.#act(where, options, answer, speech);
    } catch (error) {
      if (!signal?.aborted) throw error;
      if (!answer.hasText) throw abortError();
      return this.#stamped(answer.interrupted("aborted"), messages);
    }
    if (!speech.failure) return this.#stamped(answer.message(), messages);
    return this.#stamped(answer.interrupted("error", reportable(speech.failure)), messages);
  }

  async #refuse(where: NotUnderstood, options: ChatOptions, speech: Speech): Promise<void> {
    const { unfinished } = where;
    if (unfinished?.made) {
      await speech.say(report(unfinished.made.action, unfinished.made.result).text);
      await speech.say(leftOver(unfinished.actions.slice(unfinished.next)));
      // Without tools it is the session that asks for a last word, not a person.
      if (!options.tools?.length) return;
    }
    const { refusal } = await import("./refusal.ts");
    await speech.say(refusal(where));
  }

  async #act(where: Standing, options: ChatOptions, answer: Answer, speech: Speech): Promise<void> {
    const { actions, next, opening, made } = where;
    if (opening) await speech.say(opening);
    if (made) {
      const reported = report(made.action, made.result);
      await speech.say(reported.text);
      if (!reported.goesOn) return speech.say(leftOver(actions.slice(next)));
    }
    for (const [offset, action] of actions.slice(next).entries()) {
      switch (action.do) {
        case "say":
          await speech.say(action.text);
          break;
        case "fill":
          await speech.fill(action.tokens * CHARACTERS_PER_TOKEN);
          break;
        case "wait":
          await wait(action.ms, options.signal);
          await speech.say(`Waited ${action.ms} ms.`);
          break;
        case "fail":
          return speech.fail(failure(action.with));
        case "ask":
          return speech.say(action.text);
        case "call": {
          if (options.tools?.some(({ name }) => name === action.tool)) {
            const call = answer.startCall(callId(next + offset, this.#randomUUID()), action.tool);
            answer.appendArguments(call, JSON.stringify(action.args));
            return;
          }
          await speech.say(
            `\`${action.line}\` needs the tool ${action.tool}, which this session does not have.`,
          );
        }
      }
    }
    if (answer.isEmpty) await speech.say("Done.");
  }

  /** Adds the injected time, and usage marked as estimated. */
  #stamped(message: AssistantMessage, messages: readonly Message[]): AssistantMessage {
    return {
      ...message,
      timestamp: new Date(this.#now()),
      metadata: { estimatedUsage: true },
      usage: {
        inputTokens: estimate(messages),
        outputTokens: estimate([message]),
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
      },
    };
  }
}

/** Says things word by word, in paragraphs. */
class Speech {
  failure: ProviderError | undefined;
  readonly #answer: Answer;
  readonly #wordDelayMs: number;
  readonly #signal: AbortSignal | undefined;
  #words = 0;

  constructor(answer: Answer, wordDelayMs: number, signal: AbortSignal | undefined) {
    this.#answer = answer;
    this.#wordDelayMs = wordDelayMs;
    this.#signal = signal;
  }

  async say(text: string): Promise<void> {
    if (text === "") return;
    const paragraph = this.#answer.hasText ? `\n\n${text}` : text;
    for (const word of paragraph.match(/\s*\S+/g) ?? []) await this.#deliver(word);
  }

  /** Emits that many characters of filler text. */
  async fill(characters: number): Promise<void> {
    const line = "This line fills the context window and says nothing else. ".repeat(4).trim();
    let left = characters;
    for (let number = 1; left > 0; number += 1) {
      const text = `${this.#answer.hasText ? "\n" : ""}${number}. ${line}`.slice(0, left);
      left -= text.length;
      await this.#deliver(text);
    }
  }

  /** Fails the call, or truncates the answer once text was emitted. */
  fail(error: ProviderError): void {
    if (!this.#answer.hasText) throw error;
    this.failure = error;
  }

  async #deliver(delta: string): Promise<void> {
    this.#words += 1;
    if (this.#wordDelayMs > 0 || this.#words % WORDS_AT_ONCE === 0) {
      await wait(this.#wordDelayMs, this.#signal);
    }
    if (this.#signal?.aborted) throw abortError();
    this.#answer.append(this.#answer.current("text"), delta);
  }
}

const STATUS: Record<Exclude<FailureKind, "network">, number> = {
  "429": 429,
  "500": 500,
  overloaded: 529,
};

/** The error that a real service's failure of this kind becomes. */
function failure(kind: FailureKind): ProviderError {
  if (kind === "network") {
    return new NetworkError("offline could not be reached: the script was told to fail", {
      provider: NAME,
      hint: "This failure was asked for. A real one would say what to check.",
    });
  }
  const body = { error: { message: "the script was told to fail" } };
  const context = { provider: NAME, model: MODEL, secrets: [] };
  return failureOf({ status: STATUS[kind], body }, context).error;
}

function estimate(messages: readonly Message[]): number {
  let characters = 0;
  for (const message of messages) {
    characters += contentText(message.content).length;
    if (message.role === "assistant" && message.toolCalls) {
      characters += JSON.stringify(message.toolCalls).length;
    }
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
