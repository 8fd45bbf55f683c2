import type { JsonObject, StopReason, TokenUsage } from "../../messages/message.ts";
import { type Answer, type CallBlock, isWholeObject } from "../answer.ts";
import type { Decoder } from "../call.ts";
import { type ErrorContext, failureOf } from "../errors.ts";
import { count, list, object, text } from "../json.ts";
import { citations } from "./content.ts";
import { statusOf } from "./error-status.ts";
import { ReasoningDetails } from "./reasoning-details.ts";

const STOP_REASONS: Record<string, StopReason> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  model_length: "max_tokens",
  content_filter: "refusal",
};

/** Words with which services break an answer off for a trouble of their own. */
const BROKEN = new Set(["error", "abort", "insufficient_system_resource"]);

/** The part before a chunk's choices, such as its id and model: fields, all closed. */
const HEAD = /^\{(?:"\w+":(?:"[^"\\\p{Cc}]*"|\w+),)*(?="choices":\[)/u;
/** One choice that adds text without escapes; the rest carries no content. */
const WORDS =
  /"choices":\[\{"index":\d+,"delta":\{(?:"role":"assistant",)?"content":"([^"\\\p{Cc}]*)"\}(?:,"\w+":null)*\}\](?:,"(?:\w+":null|obfuscation":"[^"\\\p{Cc}]*"))*\}$/uy;

/** Reads the chunks of the Chat Completions API, and of the many servers that speak nearly the same. */
export class ChatDecoder implements Decoder {
  readonly #answer: Answer;
  readonly #context: ErrorContext;
  /** Calls by the server's index. */
  readonly #calls = new Map<number, CallBlock>();
  #lastCall: CallBlock | undefined;
  readonly #details = new ReasoningDetails();
  #refused = false;
  /** The head of the last parsed chunk: a chunk with the same head adds nothing else to the answer. */
  #head: string | undefined;

  constructor(answer: Answer, context: ErrorContext) {
    this.#answer = answer;
    this.#context = context;
  }

  words(json: string, name: string): boolean {
    const head = this.#head;
    if (head === undefined || name === "error" || json.slice(0, head.length) !== head) {
      this.#head = HEAD.exec(json)?.[0];
      return false;
    }
    WORDS.lastIndex = head.length;
    const words = WORDS.exec(json)?.[1];
    if (words === undefined) return false;
    this.#content(words);
    return true;
  }

  event(data: JsonObject, name: string): void {
    if (data["error"] || name === "error") {
      throw failureOf({ status: statusOf(data["error"] ?? data), body: data }, this.#context).error;
    }
    const answer = this.#answer;
    if (typeof data["id"] === "string" && data["id"] !== "") answer.id ??= data["id"];
    if (typeof data["model"] === "string" && data["model"] !== "") answer.model = data["model"];
    if (data["usage"]) answer.usage = usageOf(object(data["usage"]));
    const choice = object(list(data["choices"])[0]);
    this.#delta(object(choice["delta"] ?? choice["message"]), !choice["delta"]);
    const reason = text(choice["finish_reason"]);
    if (BROKEN.has(reason)) {
      const error = choice["error"] ?? { code: reason, message: `it broke off: ${reason}` };
      throw failureOf({ status: statusOf(error), body: object(error) }, this.#context).error;
    }
    if (reason !== "") this.#finish(STOP_REASONS[reason] ?? "end_turn");
  }

  /** A body can't be truncated unnoticed: it would not be JSON. */
  whole(body: JsonObject): void {
    this.event(body, "");
    if (this.#isUnended) this.#finish("end_turn");
  }

  /**
   * Some servers send only this at the end; gateways also send it after a service died. Calls are complete when their
   * arguments are: one whose arguments never came would run without them.
   */
  done(): void {
    if (this.#isUnended && this.#answer.callsAreWhole) this.#finish("end_turn");
  }

  get #isUnended(): boolean {
    return this.#answer.stopReason === undefined && !this.#answer.isEmpty;
  }

  #finish(reason: StopReason): void {
    const details = this.#details.whole();
    // Some servers say twice that they have finished.
    if (details && !this.#answer.complete) this.#answer.addProviderData(details);
    this.#answer.stopReason = this.#refused ? "refusal" : reason;
    this.#answer.complete = true;
  }

  #delta(delta: JsonObject, isWhole: boolean): void {
    const answer = this.#answer;
    const thought = text(delta["reasoning_content"]) || text(delta["reasoning"]);
    if (thought) answer.append(answer.current("thinking"), thought);
    this.#details.add(list(delta["reasoning_details"]));
    this.#content(delta["content"]);
    for (const citation of citations(delta["annotations"]))
      answer.cite(answer.current("text"), citation);
    if (typeof delta["refusal"] === "string" && delta["refusal"] !== "") {
      this.#refused = true;
      answer.append(answer.current("text"), delta["refusal"]);
    }
    for (const call of list(delta["tool_calls"])) {
      // In one piece each is a call of its own.
      if (isWhole) this.#forgetCalls();
      this.#call(object(call));
    }
  }

  #forgetCalls(): void {
    this.#calls.clear();
    this.#lastCall = undefined;
  }

  #content(content: unknown): void {
    const answer = this.#answer;
    if (typeof content === "string") {
      if (content !== "") answer.append(answer.current("text"), content);
      return;
    }
    for (const part of list(content)) {
      const { type, text: words, thinking } = object(part);
      if (type === "thinking")
        answer.append(
          answer.current("thinking"),
          list(thinking)
            .map((item) => text(object(item)["text"]))
            .join(""),
        );
      else answer.append(answer.current("text"), text(words));
    }
  }

  #call(call: JsonObject): void {
    const part = object(call["function"]);
    const id = text(call["id"]);
    const index = typeof call["index"] === "number" ? call["index"] : undefined;
    const known = index === undefined ? this.#lastCall : this.#calls.get(index);
    const isNew = known === undefined || isAnotherCall(known, id, part);
    const block = isNew ? this.#answer.startCall(id, text(part["name"])) : known;
    if (!isNew) {
      if (block.id === "") block.id = id;
      if (block.name === "") block.name = text(part["name"]);
    }
    this.#calls.set(index ?? block.index, block);
    this.#lastCall = block;
    if (call["extra_content"]) block.extra = { extra_content: object(call["extra_content"]) };
    const args = part["arguments"];
    // Some servers send the object itself instead of its text.
    const json = typeof args === "object" && args !== null ? JSON.stringify(args) : text(args);
    // Others repeat the whole call at its end.
    if (json === block.json && isWholeObject(json)) return;
    this.#answer.appendArguments(block, json);
  }
}

/** Reports whether a part begins a new call, on servers that number calls badly or give them no ids. */
function isAnotherCall(known: CallBlock, id: string, part: JsonObject): boolean {
  if (id !== "" && known.id !== "") return id !== known.id;
  // A name comes with the beginning of a call; some repeat it, but not with arguments behind whole ones.
  const args = part["arguments"];
  const name = text(part["name"]);
  if (name !== "" && known.name !== "" && name !== known.name) return true;
  const begins = name !== "" && args !== undefined && args !== null && args !== "";
  return begins && isWholeObject(known.json);
}

/** The prompt's count includes cache reads and writes. */
function usageOf(usage: JsonObject): TokenUsage {
  const details = object(usage["prompt_tokens_details"]);
  const cacheReadTokens = count(details["cached_tokens"]);
  const cacheWriteTokens = count(details["cache_write_tokens"]);
  const tokens: TokenUsage = {
    inputTokens: Math.max(0, count(usage["prompt_tokens"]) - cacheReadTokens - cacheWriteTokens),
    outputTokens: count(usage["completion_tokens"]),
    cacheReadTokens,
    cacheWriteTokens,
  };
  const reasoning = object(usage["completion_tokens_details"])["reasoning_tokens"];
  if (typeof reasoning === "number") tokens.reasoningTokens = reasoning;
  return tokens;
}
