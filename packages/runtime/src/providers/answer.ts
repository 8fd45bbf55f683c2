import type { ErrorFacts } from "../errors.ts";
import type {
  AssistantMessage,
  Citation,
  Content,
  JsonObject,
  JsonValue,
  Part,
  StopReason,
  TokenUsage,
  ToolCall,
} from "../messages/message.ts";
import { randomUUID } from "../ports/random-uuid.ts";
import { object } from "./json.ts";
import { parseToolCall, type ProviderEvent, type ServerToolUse } from "./provider.ts";

export interface TextBlock {
  kind: "text" | "thinking";
  text: string;
  /** The first half of a surrogate pair whose second half has not arrived. */
  held: string;
  signature?: string;
  /** The sources of the text. */
  citations?: Citation[];
  /** Opaque text in place of `text`. */
  redacted?: string;
}

export interface CallBlock {
  kind: "call";
  index: number;
  id: string;
  name: string;
  json: string;
  /** Data that the service wants back with the call, unchanged. */
  extra?: JsonObject;
}

interface ProviderBlock {
  kind: "provider";
  data: JsonValue;
}

type Block = TextBlock | CallBlock | ProviderBlock;

const CUTTING: ReadonlySet<StopReason> = new Set(["max_tokens", "refusal", "stop_sequence"]);

/** An answer under construction: a wire's decoder writes into it, and visible parts are passed on at once. */
export class Answer {
  id: string | undefined;
  usage: TokenUsage | undefined;
  stopReason: StopReason | undefined;
  /** The service's reason for declining to answer. */
  refusal: string | undefined;
  /** True when the service has declared the answer complete. */
  complete = false;
  /** True when nothing relevant follows; the connection need not be read to its end. */
  finished = false;
  #model: string;
  readonly #provider: string;
  readonly #onEvent: (event: ProviderEvent) => void;
  readonly #blocks: Block[] = [];
  #calls = 0;
  #emitted = false;

  constructor(provider: string, model: string, onEvent: (event: ProviderEvent) => void) {
    this.#provider = provider;
    this.#model = model;
    this.#onEvent = onEvent;
  }

  /** The requested model, until the service names the one that answers. */
  get model(): string {
    return this.#model;
  }

  set model(model: string) {
    // Each answer brings its own copy of the words, which would live as long as the message.
    if (model !== this.#model) this.#model = model;
  }

  /** True when anything was passed on; from then on a retry would be visible. */
  get emitted(): boolean {
    return this.#emitted;
  }

  get hasText(): boolean {
    return this.#blocks.some((block) => block.kind === "text" && block.text !== "");
  }

  get isEmpty(): boolean {
    return this.#blocks.every(
      (block) => block.kind === "text" && block.text === "" && block.held === "",
    );
  }

  /** True when the arguments of every call are complete; a call without arguments is not known to be. */
  get callsAreWhole(): boolean {
    return this.#blocks.every((block) => block.kind !== "call" || isWholeObject(block.json));
  }

  /** Begins a block of the given kind behind the others. */
  start(kind: TextBlock["kind"]): TextBlock {
    const block: TextBlock = { kind, text: "", held: "" };
    this.#blocks.push(block);
    return block;
  }

  /** The last block when it is of this kind, or a new one. */
  current(kind: TextBlock["kind"]): TextBlock {
    const last = this.#blocks.at(-1);
    return last?.kind === kind ? last : this.start(kind);
  }

  append(block: TextBlock, delta: string): void {
    let text = block.held + delta;
    block.held = "";
    if (text === "") return;
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      block.held = text.slice(-1);
      text = text.slice(0, -1);
      if (text === "") return;
    }
    this.#show(block, text.isWellFormed() ? text : text.toWellFormed());
  }

  startCall(id: string, name: string): CallBlock {
    const block: CallBlock = { kind: "call", index: this.#calls, id, name, json: "" };
    this.#calls += 1;
    this.#blocks.push(block);
    this.#emit({ type: "tool_call_delta", index: block.index, id, name, delta: "" });
    return block;
  }

  appendArguments(block: CallBlock, delta: string): void {
    if (delta === "") return;
    block.json += delta;
    this.#emit({ type: "tool_call_delta", index: block.index, delta });
  }

  /** Keeps something that only this provider understands, to be sent back in its place. */
  addProviderData(data: JsonObject): void {
    this.#blocks.push({ kind: "provider", data });
  }

  /** Adds a source of the text. */
  cite(block: TextBlock, citation: Citation): void {
    (block.citations ??= []).push(citation);
  }

  useServerTool(use: ServerToolUse): void {
    this.#emit({ type: "server_tool_use", use });
  }

  /** The whole answer. */
  message(): AssistantMessage {
    this.#flush();
    const toolCalls = this.#toolCalls();
    const message: AssistantMessage = {
      ...this.#head(),
      content: this.#content(),
      state: "complete",
    };
    if (toolCalls.length > 0) message.toolCalls = toolCalls;
    if (this.usage) message.usage = this.usage;
    const ended = this.stopReason ?? "end_turn";
    // Some servers say "stop" although they call tools.
    message.stopReason = ended === "end_turn" && toolCalls.length > 0 ? "tool_use" : ended;
    return message;
  }

  /**
   * The received part of an interrupted answer: everything a person saw, nothing that could run or be taken as
   * complete.
   */
  interrupted(stopReason: StopReason, error?: ErrorFacts): AssistantMessage {
    this.#flush();
    const parts: Part[] = [];
    for (const block of this.#blocks) {
      if (block.kind === "text" && block.text !== "") parts.push(textPart(block));
      if (block.kind === "thinking" && block.text !== "")
        parts.push({ type: "thinking", text: block.text });
    }
    const message: AssistantMessage = {
      ...this.#head(),
      content: plain(parts),
      state: "interrupted",
      stopReason,
    };
    if (this.usage) message.usage = this.usage;
    if (error) message.error = error;
    return message;
  }

  #head(): Pick<AssistantMessage, "role" | "id" | "timestamp" | "provider" | "model"> {
    return {
      role: "assistant",
      id: this.id ?? randomUUID(),
      timestamp: new Date(),
      provider: this.#provider,
      model: this.model,
    };
  }

  #content(): Content {
    const parts: Part[] = [];
    /** Calls that no content follows yet: their place is the end, which needs no mark. */
    let calls: CallBlock[] = [];
    for (const block of this.#blocks) {
      if (block.kind === "call") {
        calls.push(block);
        continue;
      }
      const part = partOf(block, this.#provider);
      if (!part) continue;
      for (const call of calls) parts.push(callMark(call, this.#provider));
      calls = [];
      parts.push(part);
    }
    if (calls.some(({ extra }) => extra))
      parts.push(...calls.map((call) => callMark(call, this.#provider)));
    return plain(parts);
  }

  #toolCalls(): ToolCall[] {
    const byId = new Map<string, CallBlock>();
    for (const block of this.#blocks) {
      if (block.kind !== "call") continue;
      const same = byId.get(block.id);
      if (same?.name === block.name && same.json === block.json) continue;
      // Different calls under one id, or none: some servers number them badly.
      if (same || block.id === "") block.id = `call_${randomUUID()}`;
      byId.set(block.id, block);
    }
    const calls = [...byId.values()];
    return calls.map((block, index) => {
      const call = parseToolCall(block.id, block.name, block.json);
      // Missing arguments are valid for a call without any, but not when the answer ended before they came.
      const isLast = index === calls.length - 1;
      const isCut = isLast && this.#isCutShort && block.json.trim() === "";
      return isCut ? { ...call, rawArgs: block.json } : call;
    });
  }

  /** The service ended the answer, not the model: its last block may be half of one. */
  get #isCutShort(): boolean {
    const { stopReason } = this;
    return stopReason !== undefined && CUTTING.has(stopReason);
  }

  /** Freezes the growing parts. A lone high surrogate at the end can't be kept. */
  #flush(): void {
    for (const block of this.#blocks) {
      if (block.kind === "call" || block.kind === "provider") continue;
      if (block.held !== "") {
        block.held = "";
        this.#show(block, "\uFFFD");
      }
      block.text = asOnePiece(block.text);
    }
  }

  #show(block: TextBlock, delta: string): void {
    block.text += delta;
    this.#emit({ type: block.kind === "text" ? "text_delta" : "thinking_delta", delta });
  }

  #emit(event: ProviderEvent): void {
    this.#emitted = true;
    this.#onEvent(event);
  }
}

/**
 * The parts and the calls of an answer in the order in which the model wrote them, which providers check for answers
 * that mix calls with reasoning. Parts of other providers are left out.
 */
export function writtenOrder(message: AssistantMessage, provider: string): (Part | ToolCall)[] {
  const rest = new Map((message.toolCalls ?? []).map((call) => [call.id, call]));
  if (typeof message.content === "string") {
    const text: Part[] = message.content === "" ? [] : [{ type: "text", text: message.content }];
    return [...text, ...rest.values()];
  }
  const ordered: (Part | ToolCall)[] = [];
  for (const part of message.content) {
    if (part.type !== "provider") ordered.push(part);
    else if (part.provider === provider) {
      const id = markedCall(part.data);
      const call = id === undefined ? undefined : rest.get(id);
      if (id === undefined) ordered.push(part);
      if (call && rest.delete(call.id)) ordered.push(call);
    }
  }
  return [...ordered, ...rest.values()];
}

/** Reports whether a text is an object from its first brace to its last. */
export function isWholeObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

function partOf(block: TextBlock | ProviderBlock, provider: string): Part | undefined {
  if (block.kind === "provider") return { type: "provider", provider, data: block.data };
  const { text, signature, redacted } = block;
  if (block.kind === "text") return text === "" ? undefined : textPart(block);
  if (text === "" && signature === undefined && redacted === undefined) return undefined;
  const part: Part = { type: "thinking", text };
  if (signature !== undefined) part.signature = signature;
  if (redacted !== undefined) part.redacted = redacted;
  return part;
}

function textPart({ text, citations }: TextBlock): Part {
  return citations ? { type: "text", text, citations } : { type: "text", text };
}

const CALL_MARK = "tool_call";

function callMark({ id, extra }: CallBlock, provider: string): Part {
  const mark: JsonObject = { type: CALL_MARK, id };
  return { type: "provider", provider, data: extra ? { ...mark, extra } : mark };
}

/** The data that a service wants back with its calls, by call id. */
export function callExtras(message: AssistantMessage, provider: string): Map<string, JsonObject> {
  const extras = new Map<string, JsonObject>();
  if (typeof message.content === "string") return extras;
  for (const part of message.content) {
    if (part.type !== "provider" || part.provider !== provider) continue;
    const id = markedCall(part.data);
    const { extra } = object(part.data);
    if (id !== undefined && extra !== undefined) extras.set(id, object(extra));
  }
  return extras;
}

function markedCall(data: JsonValue): string | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  return data["type"] === CALL_MARK && typeof data["id"] === "string" ? data["id"] : undefined;
}

/**
 * The same text, copied. One that has grown is a chain of pieces, which keeps every chunk that one of them was cut from for
 * as long as the message lives. Reading a character would flatten it too, but optimised code drops an unused
 * read.
 */
function asOnePiece(text: string): string {
  const half = text.length >> 1;
  return [text.slice(0, half), text.slice(half)].join("");
}

/** Text alone, without citations, as a string. */
function plain(parts: Part[]): Content {
  let text = "";
  for (const part of parts) {
    if (part.type !== "text" || part.citations) return parts;
    text += part.text;
  }
  return text;
}
