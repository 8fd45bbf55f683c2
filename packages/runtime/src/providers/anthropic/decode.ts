import type { Citation, JsonObject, StopReason, TokenUsage } from "../../messages/message.ts";
import type { Answer, CallBlock, TextBlock } from "../answer.ts";
import type { Decoder } from "../call.ts";
import { type ErrorContext, failureOf, protocolError } from "../errors.ts";
import { count, list, object, text } from "../json.ts";

type Open =
  | { kind: "text" | "thinking"; block: TextBlock; stopped: boolean }
  | { kind: "call"; block: CallBlock; stopped: boolean }
  /** A block for the service alone; `json` collects the input of its own tools. */
  | { kind: "other"; data: JsonObject; json: string; stopped: boolean };

const STOP_REASONS: Record<string, StopReason> = {
  end_turn: "end_turn",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  model_context_window_exceeded: "max_tokens",
  stop_sequence: "stop_sequence",
  refusal: "refusal",
  pause_turn: "pause_turn",
};

/** Statuses by the types of error events. */
const ERROR_STATUS: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** A piece of text or thinking without anything escaped. The service puts blanks before the last brace. */
const WORDS =
  /^\{"type":"content_block_delta","index":(\d+),"delta":\{"type":"(text|thinking)_delta","\2":"([^"\\\p{Cc}]*)"\}\s*\}$/u;

/** Reads the events of the Messages API. */
export class MessagesDecoder implements Decoder {
  readonly #answer: Answer;
  readonly #context: ErrorContext;
  readonly #blocks = new Map<number, Open>();

  constructor(answer: Answer, context: ErrorContext) {
    this.#answer = answer;
    this.#context = context;
  }

  event(data: JsonObject): void {
    switch (text(data["type"])) {
      case "message_start":
        this.#head(object(data["message"]));
        break;
      case "content_block_start":
        this.#start(count(data["index"]), object(data["content_block"]));
        break;
      case "content_block_delta":
        this.#delta(count(data["index"]), object(data["delta"]));
        break;
      case "content_block_stop":
        this.#stop(count(data["index"]));
        break;
      case "message_delta":
        this.#tail(object(data["delta"]), object(data["usage"]));
        break;
      case "message_stop":
        this.end();
        this.#answer.finished = true;
        break;
      case "error":
        throw failureOf(
          { status: ERROR_STATUS[text(object(data["error"])["type"])] ?? 500, body: data },
          this.#context,
        ).error;
    }
    // `ping` and future event types are not part of the answer.
  }

  words(json: string): boolean {
    const [, index, kind, words = ""] = WORDS.exec(json) ?? [];
    const open = this.#blocks.get(Number(index));
    if (open?.kind !== "text" && open?.kind !== "thinking") return false;
    if (open.kind !== kind || open.stopped) return false;
    this.#answer.append(open.block, words);
    return true;
  }

  whole(body: JsonObject): void {
    if (body["type"] === "error") this.event(body);
    this.#head(body);
    list(body["content"]).forEach((block, index) => {
      this.#start(index, object(block));
      this.#stop(index);
    });
    this.#tail(body, object(body["usage"]));
    this.end();
  }

  end(): void {
    if (this.#answer.stopReason === undefined) return;
    for (const open of this.#blocks.values()) {
      if (!open.stopped) throw this.#problem("it ended within a block");
    }
    this.#answer.complete = true;
  }

  #head(message: JsonObject): void {
    const answer = this.#answer;
    const id = text(message["id"]);
    if (answer.id !== undefined && answer.id !== id)
      throw this.#problem("two answers in one stream");
    if (id) answer.id = id;
    if (typeof message["model"] === "string") answer.model = message["model"];
    this.#use(object(message["usage"]));
  }

  #start(index: number, content: JsonObject): void {
    const before = this.#blocks.get(index);
    if (before) {
      if (isSame(before, content)) return;
      throw this.#problem(`block ${index} began twice`);
    }
    this.#blocks.set(index, this.#open(content));
  }

  #open(content: JsonObject): Open {
    const answer = this.#answer;
    switch (text(content["type"])) {
      case "text": {
        const block = answer.start("text");
        answer.append(block, text(content["text"]));
        for (const citation of list(content["citations"]))
          answer.cite(block, citationOf(object(citation)));
        return { kind: "text", block, stopped: false };
      }
      case "thinking": {
        const block = answer.start("thinking");
        answer.append(block, text(content["thinking"]));
        if (content["signature"]) block.signature = text(content["signature"]);
        return { kind: "thinking", block, stopped: false };
      }
      case "redacted_thinking": {
        const block = answer.start("thinking");
        block.redacted = text(content["data"]);
        return { kind: "thinking", block, stopped: false };
      }
      case "tool_use": {
        const block = answer.startCall(text(content["id"]), text(content["name"]));
        const input = object(content["input"]);
        if (Object.keys(input).length > 0) answer.appendArguments(block, JSON.stringify(input));
        return { kind: "call", block, stopped: false };
      }
      default: {
        const data = { ...content };
        answer.addProviderData(data);
        return { kind: "other", data, json: "", stopped: false };
      }
    }
  }

  #delta(index: number, delta: JsonObject): void {
    const open = this.#blocks.get(index);
    if (!open) throw this.#problem(`content for block ${index}, which never began`);
    if (open.stopped) throw this.#problem(`content for block ${index} after its end`);
    const answer = this.#answer;
    switch (text(delta["type"])) {
      case "text_delta":
        if (open.kind !== "text") throw this.#problem(`text in block ${index}, which has none`);
        answer.append(open.block, text(delta["text"]));
        break;
      case "thinking_delta":
        if (open.kind !== "thinking")
          throw this.#problem(`thoughts in block ${index}, which has none`);
        answer.append(open.block, text(delta["thinking"]));
        break;
      case "citations_delta":
        if (open.kind === "text") answer.cite(open.block, citationOf(object(delta["citation"])));
        break;
      case "signature_delta":
        if (open.kind === "thinking")
          open.block.signature = (open.block.signature ?? "") + text(delta["signature"]);
        break;
      case "input_json_delta":
        if (open.kind === "call") answer.appendArguments(open.block, text(delta["partial_json"]));
        else if (open.kind === "other") open.json += text(delta["partial_json"]);
        else throw this.#problem(`arguments in block ${index}, which calls nothing`);
        break;
    }
  }

  #stop(index: number): void {
    const open = this.#blocks.get(index);
    if (!open || open.stopped) return;
    open.stopped = true;
    if (open.kind !== "other" || open.data["type"] !== "server_tool_use") return;
    if (open.json.trim() !== "") open.data["input"] = this.#input(open.json);
    this.#answer.useServerTool({
      name: text(open.data["name"]),
      input: object(open.data["input"]),
    });
  }

  #input(json: string): JsonObject {
    try {
      return object(JSON.parse(json));
    } catch {
      throw this.#problem("the input of a server tool is not JSON");
    }
  }

  #tail(delta: JsonObject, usage: JsonObject): void {
    this.#use(usage);
    const reason = delta["stop_reason"];
    if (typeof reason !== "string") return;
    this.#answer.stopReason = STOP_REASONS[reason] ?? "end_turn";
    const why = object(delta["stop_details"])["explanation"];
    if (typeof why === "string") this.#answer.refusal = why;
  }

  /** Counts are cumulative; later events omit unchanged ones or set them to null. */
  #use(usage: JsonObject): void {
    const before = this.#answer.usage;
    if (!before && Object.keys(usage).length === 0) return;
    const next: TokenUsage = {
      inputTokens: latest(usage["input_tokens"], before?.inputTokens),
      outputTokens: latest(usage["output_tokens"], before?.outputTokens),
      cacheReadTokens: latest(usage["cache_read_input_tokens"], before?.cacheReadTokens),
      cacheWriteTokens: latest(usage["cache_creation_input_tokens"], before?.cacheWriteTokens),
    };
    const reasoning =
      object(usage["output_tokens_details"])["thinking_tokens"] ?? before?.reasoningTokens;
    if (typeof reasoning === "number") next.reasoningTokens = reasoning;
    this.#answer.usage = next;
  }

  #problem(words: string): Error {
    return protocolError(words, this.#context);
  }
}

/** Reports whether a second start of a block repeats the first. */
function isSame(open: Open, content: JsonObject): boolean {
  if (open.stopped) return false;
  if (open.kind === "call")
    return content["type"] === "tool_use" && content["id"] === open.block.id;
  if (open.kind === "other")
    return content["type"] === open.data["type"] && content["id"] === open.data["id"];
  return content["type"] === open.kind && open.block.text === "";
}

/** Pages, search results and the person's own documents are cited in different fields. */
function citationOf(data: JsonObject): Citation {
  const citation: Citation = { data };
  const url = text(data["url"]) || text(data["source"]);
  const title = text(data["title"]) || text(data["document_title"]);
  if (url) citation.url = url;
  if (title) citation.title = title;
  if (data["cited_text"]) citation.citedText = text(data["cited_text"]);
  return citation;
}

function latest(value: unknown, before = 0): number {
  return typeof value === "number" ? value : before;
}
