import { defined } from "../../defined.ts";
import { fittingName, fittingToolName } from "../../fitting-name.ts";
import type {
  AssistantMessage,
  Content,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  Message,
  Part,
  TextPart,
  ToolCall,
  ToolMessage,
} from "../../messages/message.ts";
import { contentText } from "../../messages/message.ts";
import { writtenOrder } from "../answer.ts";
import { text } from "../json.ts";
import type { ChatOptions, ReasoningEffort, ToolChoice, ToolSchema } from "../provider.ts";
import { readablePart, type ReadableMedia } from "../readable-media.ts";
import { WrittenStart, WrittenStarts } from "../written-start.ts";
import { isSameModel } from "./same-model.ts";

/** Options of the service's own web search. */
export interface AnthropicWebSearch {
  /** Version of the tool; `web_search_20250305` by default, which every model with web search supports. */
  type?: string;
  /** Maximum searches per answer. */
  maxUses?: number;
  /** Domains without a scheme, such as `example.com`. Give these or `blockedDomains`. */
  allowedDomains?: readonly string[];
  blockedDomains?: readonly string[];
}

export interface RequestDefaults {
  provider: string;
  model: string;
  maxTokens: number;
  promptCaching: boolean;
  webSearch?: AnthropicWebSearch | undefined;
}

const CACHE: JsonObject = { type: "ephemeral" };
/** By the service's documentation of vision: a picture's Base64 has at most 5 MiB. */
const READABLE: ReadableMedia = { maxPictureLength: 5 * 1024 * 1024, isPdfOnly: true };
/** Models that need a fixed budget to think; all later ones decide by themselves. */
const FIXED_BUDGET = /claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/;
/** Models with levels of effort; the others reject the setting. */
const EFFORT = /claude-(?:(?:opus|sonnet)-(?:4-[6-9]|[5-9])|haiku-[5-9])/;
const SMALLEST_BUDGET = 1024;
const TURN = { user: '{"role":"user","content":[', assistant: '{"role":"assistant","content":[' };
const NEXT_TURN = { user: `]},${TURN.user}`, assistant: `]},${TURN.assistant}` };

/** The side whose turn the JSON so far ends with. */
type Side = keyof typeof TURN | undefined;

/**
 * Writes requests of the Messages API. The unchanging part of a conversation is serialised once, as long as its
 * messages are the same objects, so that a request costs the new messages and not the history.
 */
export class RequestWriter {
  readonly #defaults: RequestDefaults;
  /** By model: a request contains only the model's own thinking. */
  readonly #starts = new Map<string, WrittenStarts<Side>>();
  readonly #tools = new WeakMap<ToolSchema, string>();

  constructor(defaults: RequestDefaults) {
    this.#defaults = defaults;
  }

  write(messages: readonly Message[], options: ChatOptions): string {
    const { model, maxTokens, promptCaching } = this.#defaults;
    const lead = leadingSystem(messages);
    const conversation = messages.slice(lead.length);
    const asked = options.model ?? model;
    const head: JsonObject = { model: asked, stream: true };
    const thinking = thinkingConfig(options, asked, options.maxTokens ?? maxTokens);
    Object.assign(head, thinking);
    if (options.temperature !== undefined && !thinking["thinking"])
      head["temperature"] = options.temperature;
    const output = outputConfig(options, asked);
    if (output) head["output_config"] = output;
    const system = lead.map((message) => contentText(message.content)).join("\n\n");
    if (system.trim() !== "")
      head["system"] = [cached({ type: "text", text: system.toWellFormed() }, promptCaching)];

    const fields = [JSON.stringify(head).slice(1, -1)];
    const tools = this.#toolsJson(conversation, options);
    if (tools) fields.push(tools);
    return this.#withTurns(`{${fields.join(",")},"messages":[`, conversation, asked);
  }

  /** Adds the messages. Consecutive ones of one side become one turn, as the API requires. */
  #withTurns(head: string, messages: readonly Message[], asked: string): string {
    const starts = this.#startsOf(asked);
    const last = messages.length - 1;
    const marked = this.#defaults.promptCaching ? cacheEnds(messages) : [];
    // Cache marks move and the last answer is trimmed: only what precedes both is stable.
    const settled = Math.max(0, Math.min(last, ...marked));
    const start = starts.take(messages, settled) ?? new WrittenStart<Side>(undefined, "");
    for (const message of messages.slice(start.messages.length, settled)) {
      const json = blocksJson(this.#blocks(message, asked), false, false);
      start.add(message, json === "" ? "" : inTurn(message, json, start.state));
      if (json !== "") start.state = sideOf(message);
    }
    starts.keep(start, messages);

    let side = start.state;
    const rest: string[] = [];
    for (let index = settled; index <= last; index += 1) {
      const message = messages[index] as Message;
      const json = blocksJson(this.#blocks(message, asked), marked.includes(index), index === last);
      if (json === "") continue;
      rest.push(inTurn(message, json, side));
      side = sideOf(message);
    }
    return start.request(head, rest, side === undefined ? "]}" : "]}]}");
  }

  #startsOf(model: string): WrittenStarts<Side> {
    const starts = this.#starts.get(model) ?? new WrittenStarts<Side>();
    this.#starts.set(model, starts);
    return starts;
  }

  #blocks(message: Message, asked: string): JsonObject[] {
    if (message.role === "assistant")
      return assistantBlocks(message, this.#defaults.provider, asked);
    if (message.role === "tool") return [toolResult(message)];
    if (message.role === "user") return contentBlocks(message.content);
    const text = contentText(message.content).trim();
    return text === "" ? [] : [textBlock(`<system>\n${text}\n</system>`)];
  }

  #toolsJson(messages: readonly Message[], options: ChatOptions): string | undefined {
    const tools = options.tools ?? [];
    const written: string[] = [];
    if (options.nativeWebSearch) written.push(webSearchJson(this.#defaults.webSearch ?? {}));
    tools.forEach((tool, index) => written.push(this.#toolJson(tool, index === tools.length - 1)));
    if (written.length > 0) {
      const choice =
        options.toolChoice === undefined
          ? ""
          : `,"tool_choice":${JSON.stringify(toolChoice(options.toolChoice))}`;
      return `"tools":[${written.join(",")}]${choice}`;
    }
    // The API wants tools defined when the conversation has calls, even when none may be made any more.
    const names = new Set<string>();
    for (const message of messages) {
      if (message.role !== "assistant" || !message.toolCalls) continue;
      for (const { name } of message.toolCalls) names.add(fittingToolName(name));
    }
    if (names.size === 0) return undefined;
    const past = [...names].map((name) => ({ name, input_schema: { type: "object" } }));
    return `"tools":${JSON.stringify(past)},"tool_choice":{"type":"none"}`;
  }

  #toolJson(tool: ToolSchema, isLast: boolean): string {
    let json = this.#tools.get(tool);
    if (json === undefined) {
      const { name, description, parameters } = tool;
      json = JSON.stringify({ name, description, input_schema: { type: "object", ...parameters } });
      this.#tools.set(tool, json);
    }
    return isLast && this.#defaults.promptCaching
      ? `${json.slice(0, -1)},"cache_control":${JSON.stringify(CACHE)}}`
      : json;
  }
}

function leadingSystem(messages: readonly Message[]): Message[] {
  const end = messages.findIndex((message) => message.role !== "system");
  return messages.slice(0, end === -1 ? messages.length : end);
}

function sideOf({ role }: Message): keyof typeof TURN {
  return role === "assistant" ? "assistant" : "user";
}

/** The JSON of a message's blocks, in the turn before it or in a new one. */
function inTurn(message: Message, json: string, before: Side): string {
  const side = sideOf(message);
  if (side === before) return `,${json}`;
  return (before === undefined ? TURN[side] : NEXT_TURN[side]) + json;
}

/** Ends of the last two user turns: the newest one is written to the cache, the previous one is found in it. */
function cacheEnds(messages: readonly Message[]): number[] {
  const ends: number[] = [];
  let inside = false;
  for (let index = messages.length - 1; index >= 0 && ends.length < 2; index -= 1) {
    const isUser = (messages[index] as Message).role !== "assistant";
    if (isUser && !inside) ends.push(index);
    inside = isUser;
  }
  return ends;
}

function blocksJson(blocks: JsonObject[], mark: boolean, isLast: boolean): string {
  const end = blocks.at(-1);
  if (end && mark) end["cache_control"] = CACHE;
  // An answer to be continued may not end in white space.
  if (end && isLast && end["type"] === "text" && !mark) end["text"] = text(end["text"]).trimEnd();
  return blocks.map((block) => JSON.stringify(block)).join(",");
}

function assistantBlocks(message: AssistantMessage, provider: string, asked: string): JsonObject[] {
  const own = message.provider === undefined || message.provider === provider;
  // The proof of a thought holds for the model that had it.
  const isOwnThought = own && isSameModel(message.model ?? asked, asked);
  return writtenOrder(message, provider).flatMap((item): JsonObject[] => {
    if (!("type" in item)) return [toolUse(item)];
    switch (item.type) {
      case "text":
        return item.text.trim() === "" ? [] : [citedText(item, own)];
      case "thinking":
        if (!isOwnThought) return [];
        if (item.redacted !== undefined)
          return [{ type: "redacted_thinking", data: item.redacted }];
        // The API accepts a thought again only with the proof that it is unchanged.
        return item.signature
          ? [{ type: "thinking", thinking: item.text, signature: item.signature }]
          : [];
      case "provider":
        return isRecord(item.data) ? [item.data] : [];
      case "image":
      case "file":
        return [];
    }
  });
}

function contentBlocks(content: Content): JsonObject[] {
  if (typeof content === "string") return content.trim() === "" ? [] : [textBlock(content)];
  return content.flatMap((part) => inputBlock(part));
}

function inputBlock(part: Part): JsonObject[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [textBlock(part.text)];
    case "image":
    case "file":
      return [mediaBlock(readablePart(part, READABLE))];
    case "thinking":
    case "provider":
      return [];
  }
}

function mediaBlock(part: ImagePart | FilePart | TextPart): JsonObject {
  if (part.type === "text") return textBlock(part.text);
  return part.type === "image" ? imageBlock(part) : documentBlock(part);
}

function textBlock(text: string): JsonObject {
  return { type: "text", text: text.toWellFormed() };
}

/** The text with its citations, if they are this service's. */
function citedText({ text, citations = [] }: TextPart, own: boolean): JsonObject {
  const native = own ? citations.flatMap(({ data }) => (data ? [data] : [])) : [];
  return native.length > 0 ? { ...textBlock(text), citations: native } : textBlock(text);
}

function imageBlock({ mediaType, data, url }: ImagePart): JsonObject {
  const source: JsonObject =
    data === undefined
      ? { type: "url", url: url ?? "" }
      : { type: "base64", media_type: mediaType, data };
  return { type: "image", source };
}

function documentBlock({ mediaType, data, name }: FilePart): JsonObject {
  const source: JsonObject = mediaType.startsWith("text/")
    ? { type: "text", media_type: "text/plain", data: decodeText(data) }
    : { type: "base64", media_type: mediaType, data };
  return name === undefined
    ? { type: "document", source }
    : { type: "document", source, title: name };
}

function webSearchJson(settings: AnthropicWebSearch): string {
  const { type = "web_search_20250305", maxUses, allowedDomains, blockedDomains } = settings;
  return JSON.stringify({
    type,
    name: "web_search",
    max_uses: maxUses,
    allowed_domains: allowedDomains,
    blocked_domains: blockedDomains,
  });
}

function toolUse({ id, name, args }: ToolCall): JsonObject {
  return {
    type: "tool_use",
    id: toolId(id),
    name: fittingToolName(name),
    input: args as JsonObject,
  };
}

function toolResult(message: ToolMessage): JsonObject {
  const blocks = contentBlocks(message.content);
  const result: JsonObject = { type: "tool_result", tool_use_id: toolId(message.toolCallId) };
  if (message.isError) result["is_error"] = true;
  if (typeof message.content === "string" && blocks.length > 0)
    result["content"] = message.content.toWellFormed();
  else if (blocks.length > 0) result["content"] = blocks;
  else if (message.isError) result["content"] = "(no output)";
  return result;
}

/** Ids of other services may contain characters that this one rejects. */
function toolId(id: string): string {
  return fittingName(id, { maxLength: Infinity, rejected: /[^\w-]/g });
}

function toolChoice(choice: ToolChoice): JsonObject {
  if (choice === "required") return { type: "any" };
  return typeof choice === "string" ? { type: choice } : { type: "tool", name: choice.name };
}

function thinkingConfig(
  { thinking, toolChoice }: ChatOptions,
  model: string,
  maxTokens: number,
): JsonObject {
  // The API takes no forced call together with thinking.
  const isForced = toolChoice === "required" || typeof toolChoice === "object";
  if (!thinking || isForced) return { max_tokens: maxTokens };
  if (thinking === true && !FIXED_BUDGET.test(model)) {
    return { max_tokens: maxTokens, thinking: { type: "adaptive", display: "summarized" } };
  }
  const wanted = thinking === true ? Math.floor(maxTokens / 2) : thinking.budgetTokens;
  const budget = Math.max(SMALLEST_BUDGET, wanted);
  // The budget is part of `max_tokens`, which must leave room for the answer.
  const total = budget < maxTokens ? maxTokens : budget + maxTokens;
  return { max_tokens: total, thinking: { type: "enabled", budget_tokens: budget } };
}

function outputConfig(
  { responseFormat, effort }: ChatOptions,
  model: string,
): JsonObject | undefined {
  const level = effort !== undefined && EFFORT.test(model) ? effortOf(effort, model) : undefined;
  if (!responseFormat && level === undefined) return undefined;
  return defined({
    format: responseFormat && { type: "json_schema", schema: responseFormat.schema },
    effort: level,
  });
}

/** The first models with levels lack one of them. */
function effortOf(effort: ReasoningEffort, model: string): ReasoningEffort {
  return effort === "xhigh" && model.includes("-4-6") ? "high" : effort;
}

function cached(block: JsonObject, promptCaching: boolean): JsonObject {
  return promptCaching ? { ...block, cache_control: CACHE } : block;
}

function decodeText(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}

function isRecord(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
