import type { JsonObject, TokenUsage } from "../../messages/message.ts";
import type { Answer, CallBlock, TextBlock } from "../answer.ts";
import type { Decoder } from "../call.ts";
import { type ErrorContext, failureOf, protocolError } from "../errors.ts";
import { count, list, object, text } from "../json.ts";
import { citations } from "./content.ts";
import { statusOf } from "./error-status.ts";

/** An output item under construction. */
interface Item {
  type: string;
  id: string;
  /** The call, if the item is one. */
  call?: CallBlock;
  /** Texts of a message's content or a reasoning's summary, by index. */
  texts: Map<string, TextBlock>;
  done: boolean;
}

/** A piece of text without escapes; the rest carries no content. */
const WORDS =
  /^\{"type":"response\.output_text\.delta","sequence_number":(\d+),"item_id":"[^"\\\p{Cc}]*","output_index":(\d+),"content_index":(\d+),"delta":"([^"\\\p{Cc}]*)"(?:,"logprobs":\[\])?(?:,"obfuscation":"[^"\\\p{Cc}]*")?\}$/u;

/** Reads the events of the Responses API. */
export class ResponsesDecoder implements Decoder {
  readonly #answer: Answer;
  readonly #context: ErrorContext;
  /** Items by output index. */
  readonly #items = new Map<number, Item>();
  #sequence = 0;
  /** The server counts its events, so a number that comes again is a repeated event. */
  #counts = false;
  #refused = false;

  constructor(answer: Answer, context: ErrorContext) {
    this.#answer = answer;
    this.#context = context;
  }

  event(data: JsonObject): void {
    if (this.#isRepeated(data["sequence_number"])) return;
    const index = count(data["output_index"]);
    switch (text(data["type"])) {
      case "response.created":
      case "response.in_progress":
        this.#head(object(data["response"]));
        break;
      case "response.output_item.added":
        this.#add(index, object(data["item"]));
        break;
      case "response.output_item.done":
        this.#finishItem(index, object(data["item"]));
        break;
      case "response.output_text.delta":
        this.#text(index, "text", count(data["content_index"]), text(data["delta"]));
        break;
      case "response.refusal.delta":
        this.#refused = true;
        this.#text(index, "text", count(data["content_index"]), text(data["delta"]));
        break;
      case "response.reasoning_summary_text.delta":
        this.#text(index, "thinking", count(data["summary_index"]), text(data["delta"]));
        break;
      case "response.reasoning_text.delta":
        this.#text(index, "thinking", count(data["content_index"]), text(data["delta"]));
        break;
      case "response.function_call_arguments.delta":
        this.#arguments(index, text(data["delta"]));
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#finish(object(data["response"]));
        break;
      case "error":
        throw this.#failure(data["error"] ?? data);
    }
  }

  words(json: string): boolean {
    const found = WORDS.exec(json);
    if (!found) return false;
    const [, sequence, index, part, words = ""] = found;
    if (!this.#isRepeated(Number(sequence))) this.#text(Number(index), "text", Number(part), words);
    return true;
  }

  whole(body: JsonObject): void {
    if (body["error"]) throw this.#failure(body["error"]);
    this.#head(body);
    list(body["output"]).forEach((item, index) => this.#finishItem(index, object(item)));
    this.#finish(body);
  }

  #isRepeated(value: unknown): boolean {
    if (typeof value !== "number") return false;
    if (value > this.#sequence) {
      this.#counts = this.#counts || this.#sequence > 0;
      this.#sequence = value;
      return false;
    }
    return this.#counts;
  }

  #head(response: JsonObject): void {
    const id = text(response["id"]);
    if (id !== "" && this.#answer.id !== undefined && this.#answer.id !== id) {
      throw protocolError("two answers in one stream", this.#context);
    }
    if (id !== "") this.#answer.id = id;
    if (typeof response["model"] === "string") this.#answer.model = response["model"];
  }

  #add(index: number, data: JsonObject): Item {
    const before = this.#items.get(index);
    const type = text(data["type"]);
    const id = text(data["id"]);
    if (before) {
      if (before.type === type && before.id === id) return before;
      throw protocolError(`output ${index} began twice`, this.#context);
    }
    const item: Item = { type, id, texts: new Map(), done: false };
    this.#items.set(index, item);
    if (type === "function_call")
      item.call = this.#answer.startCall(text(data["call_id"]), text(data["name"]));
    // Such models need to know on later turns which text was an aside and which the answer.
    if (type === "message" && typeof data["phase"] === "string") {
      this.#answer.addProviderData({ type: "message_phase", phase: data["phase"] });
    }
    return item;
  }

  #text(index: number, kind: TextBlock["kind"], part: number, delta: string): void {
    const item = this.#items.get(index);
    if (!item) throw protocolError(`content for output ${index}, which never began`, this.#context);
    if (item.done) throw protocolError(`content for output ${index} after its end`, this.#context);
    this.#append(item, kind, part, delta);
  }

  #append(item: Item, kind: TextBlock["kind"], part: number, delta: string): void {
    const key = `${kind} ${part}`;
    let block = item.texts.get(key);
    if (!block) {
      block = this.#answer.start(kind);
      // Summaries are paragraphs.
      if (kind === "thinking" && item.texts.size > 0) this.#answer.append(block, "\n\n");
      item.texts.set(key, block);
    }
    this.#answer.append(block, delta);
  }

  #arguments(index: number, delta: string): void {
    const item = this.#items.get(index);
    if (!item?.call || item.done) {
      throw protocolError(`arguments for output ${index}, which calls nothing`, this.#context);
    }
    this.#answer.appendArguments(item.call, delta);
  }

  /** The item at a place, which is known by its type and its call: gateways make up ids anew for each event. */
  #begun(index: number, data: JsonObject): Item {
    const item = this.#items.get(index);
    if (!item || item.type !== data["type"]) return this.#add(index, data);
    return item.call && item.call.id !== data["call_id"] ? this.#add(index, data) : item;
  }

  /** The finished item is complete: text that no delta brought is taken from it. */
  #finishItem(index: number, data: JsonObject): void {
    const item = this.#begun(index, data);
    if (item.done) return;
    item.done = true;
    const answer = this.#answer;
    switch (item.type) {
      case "function_call":
        if (item.call) {
          const rest = text(data["arguments"]);
          if (item.call.json === "") answer.appendArguments(item.call, rest);
          else if (rest !== "") item.call.json = rest;
        }
        break;
      case "message":
        if (item.texts.size === 0) this.#messageText(item, list(data["content"]));
        list(data["content"]).forEach((part, at) => {
          const block = item.texts.get(`text ${at}`);
          if (!block) return;
          for (const citation of citations(object(part)["annotations"]))
            answer.cite(block, citation);
        });
        break;
      case "reasoning":
        if (item.texts.size === 0) {
          list(data["summary"]).forEach((part, at) =>
            this.#append(item, "thinking", at, text(object(part)["text"])),
          );
        }
        answer.addProviderData(data);
        break;
      default:
        if (item.type === "web_search_call")
          answer.useServerTool({ name: "web_search", input: object(data["action"]) });
        answer.addProviderData(data);
    }
  }

  #messageText(item: Item, content: unknown[]): void {
    content.forEach((part, at) => {
      const { text: words, refusal } = object(part);
      if (typeof refusal === "string") this.#refused = true;
      this.#append(item, "text", at, text(words) || text(refusal));
    });
  }

  #finish(response: JsonObject): void {
    const answer = this.#answer;
    answer.finished = true;
    if (Object.keys(object(response["usage"])).length > 0)
      answer.usage = usageOf(object(response["usage"]));
    const status = text(response["status"]);
    if (status === "failed" || response["error"]) throw this.#failure(response["error"]);
    if (status === "cancelled")
      throw protocolError("it was cancelled at the service", this.#context);
    const reason = text(object(response["incomplete_details"])["reason"]);
    if (status === "incomplete") {
      answer.stopReason = reason === "content_filter" ? "refusal" : "max_tokens";
    } else {
      for (const item of this.#items.values()) {
        if (item.call && !item.done)
          throw protocolError("it ended within a tool call", this.#context);
      }
      answer.stopReason = this.#refused ? "refusal" : "end_turn";
    }
    answer.complete = true;
  }

  #failure(error: unknown): Error {
    return failureOf({ status: statusOf(error), body: object(error) }, this.#context).error;
  }
}

/** The input's count includes cache reads and writes. */
function usageOf(usage: JsonObject): TokenUsage {
  const details = object(usage["input_tokens_details"]);
  const cacheReadTokens = count(details["cached_tokens"]);
  const cacheWriteTokens = count(details["cache_write_tokens"]);
  const tokens: TokenUsage = {
    inputTokens: Math.max(0, count(usage["input_tokens"]) - cacheReadTokens - cacheWriteTokens),
    outputTokens: count(usage["output_tokens"]),
    cacheReadTokens,
    cacheWriteTokens,
  };
  const reasoning = object(usage["output_tokens_details"])["reasoning_tokens"];
  if (typeof reasoning === "number") tokens.reasoningTokens = reasoning;
  return tokens;
}
