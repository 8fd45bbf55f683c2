import { fittingName, fittingToolName } from "../../fitting-name.ts";
import {
  type AssistantMessage,
  type Content,
  contentText,
  type JsonObject,
  type JsonValue,
  type Message,
  type ToolMessage,
} from "../../messages/message.ts";
import { callExtras, writtenOrder } from "../answer.ts";
import { object, text } from "../json.ts";
import type { ChatOptions, ToolChoice, ToolSchema } from "../provider.ts";
import { WrittenStart, WrittenStarts } from "../written-start.ts";
import { fileData, fileText, imageUrl, inputParts, type RequestDefaults } from "./content.ts";
import { type ChatDialect, thinkingFields } from "./dialect.ts";
import { detailsOf } from "./reasoning-details.ts";
import { strictFormat } from "./strict-schema.ts";

export interface ChatDefaults extends RequestDefaults {
  dialect: ChatDialect;
}

/**
 * Writes requests of the Chat Completions API; the serialised part of a conversation and its tools is reused in the
 * next one.
 */
export class ChatRequestWriter {
  readonly #defaults: ChatDefaults;
  readonly #starts = new WrittenStarts<undefined>();
  readonly #tools = new WeakMap<ToolSchema, string>();

  constructor(defaults: ChatDefaults) {
    this.#defaults = defaults;
  }

  write(messages: readonly Message[], options: ChatOptions): string {
    const { model, maxTokens, stream, dialect } = this.#defaults;
    const asked = options.model ?? model;
    const head: JsonObject = { model: asked, stream };
    if (stream && dialect.streamUsage) head["stream_options"] = { include_usage: true };
    const limit = options.maxTokens ?? maxTokens;
    if (limit !== undefined) head[dialect.maxTokensField] = limit;
    if (options.temperature !== undefined) head["temperature"] = options.temperature;
    Object.assign(head, thinkingFields(dialect, options, asked));
    if (options.nativeWebSearch) Object.assign(head, dialect.webSearch);
    if (options.responseFormat) {
      const { name, schema } = options.responseFormat;
      head["response_format"] = {
        type: "json_schema",
        json_schema: { name, ...strictFormat(schema) },
      };
    }
    const fields = [JSON.stringify(head).slice(1, -1)];
    if (options.tools && options.tools.length > 0) {
      fields.push(`"tools":[${options.tools.map((tool) => this.#toolJson(tool)).join(",")}]`);
      if (options.toolChoice !== undefined)
        fields.push(`"tool_choice":${JSON.stringify(toolChoice(options.toolChoice))}`);
    }
    return this.#withMessages(`{${fields.join(",")},"messages":[`, messages);
  }

  #withMessages(head: string, messages: readonly Message[]): string {
    // Results may still be added to the last calls, and parts they can't hold follow after all of them.
    const settled = Math.max(
      0,
      messages.findLastIndex(({ role }) => role !== "tool"),
    );
    const found = this.#starts.take(messages, settled);
    const isWhole = found && messages[found.messages.length]?.role !== "tool";
    const start = isWhole ? found : new WrittenStart(undefined, ",");
    const known = start.messages.length;
    const written = messagesJson(messages.slice(known, settled), this.#defaults);
    written.forEach((json, index) => start.add(messages[known + index] as Message, json));
    this.#starts.keep(start, messages);
    const rest = messagesJson(messages.slice(settled), this.#defaults);
    return start.request(head, rest, "]}");
  }

  #toolJson(tool: ToolSchema): string {
    let json = this.#tools.get(tool);
    if (json === undefined) {
      const { name, description, parameters } = tool;
      json = JSON.stringify({ type: "function", function: { name, description, parameters } });
      this.#tools.set(tool, json);
    }
    return json;
  }
}

/** JSON by message; parts that results of a batch can't hold follow after the last of them. */
function messagesJson(messages: readonly Message[], defaults: ChatDefaults): string[] {
  let pictures: JsonObject[] = [];
  return messages.map((message, index) => {
    const json = messageJson(message, defaults);
    if (message.role !== "tool") return json;
    pictures.push(...resultPictures(message));
    if (messages[index + 1]?.role === "tool" || pictures.length === 0) return json;
    const shown = JSON.stringify({ role: "user", content: pictures });
    pictures = [];
    return `${json},${shown}`;
  });
}

/** Empty when there is nothing to send. */
function messageJson(message: Message, defaults: ChatDefaults): string {
  switch (message.role) {
    case "system": {
      const content = contentText(message.content);
      return content.trim() === ""
        ? ""
        : JSON.stringify({ role: "system", content: content.toWellFormed() });
    }
    case "user": {
      const content = inputContent(message.content);
      return content.length === 0 ? "" : JSON.stringify({ role: "user", content });
    }
    case "tool":
      return JSON.stringify({
        role: "tool",
        tool_call_id: callId(message.toolCallId, defaults),
        content: resultText(message),
      });
    case "assistant":
      return assistantJson(message, defaults);
  }
}

function assistantJson(message: AssistantMessage, { provider, dialect }: ChatDefaults): string {
  let content = "";
  let thoughts = "";
  let details: JsonValue | undefined;
  /** The same service's thoughts by its Responses API. */
  let isOfOtherApi = false;
  const calls: JsonObject[] = [];
  const extras = callExtras(message, provider);
  for (const item of writtenOrder(message, provider)) {
    if (!("type" in item)) {
      const call = { name: fittingToolName(item.name), arguments: JSON.stringify(item.args) };
      calls.push({
        id: callId(item.id, { dialect }),
        type: "function",
        function: call,
        ...extras.get(item.id),
      });
    } else if (item.type === "provider") {
      details ??= detailsOf(item.data);
      isOfOtherApi ||= object(item.data)["type"] === "reasoning";
    } else if (item.type === "text") content += item.text;
    else if (item.type === "thinking") thoughts += item.text;
  }
  if (content.trim() === "" && calls.length === 0) return "";
  const json: JsonObject = {
    role: "assistant",
    content: content === "" ? null : content.toWellFormed(),
  };
  // Servers that show their reasoning want it back with the calls that it led to.
  if (details !== undefined) json["reasoning_details"] = details;
  else if (calls.length > 0 && thoughts !== "" && message.provider === provider && !isOfOtherApi)
    json[dialect.reasoningField] = thoughts;
  if (calls.length > 0) json["tool_calls"] = calls;
  return JSON.stringify(json);
}

function inputContent(content: Content): string | JsonObject[] {
  if (typeof content === "string") return content.toWellFormed();
  const parts = inputParts(content).flatMap((part): JsonObject[] => {
    if (part.type === "text") return [{ type: "text", text: part.text.toWellFormed() }];
    if (part.type === "image") return [{ type: "image_url", image_url: { url: imageUrl(part) } }];
    if (part.type !== "file") return [];
    const words = fileText(part);
    return words === undefined
      ? [{ type: "file", file: fileData(part) }]
      : [{ type: "text", text: words }];
  });
  const [only] = parts;
  return parts.length === 1 && only?.["type"] === "text" ? text(only["text"]) : parts;
}

/** Results are text on this API. */
function resultText(message: ToolMessage): string {
  const text = contentText(message.content).toWellFormed();
  if (text !== "") return text;
  return resultPictures(message).length > 0 ? "The result follows." : "(no output)";
}

function resultPictures(message: ToolMessage): JsonObject[] {
  if (typeof message.content === "string") return [];
  const content = inputContent(
    message.content.filter((part) => part.type === "image" || part.type === "file"),
  );
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function callId(id: string, { dialect }: Pick<ChatDefaults, "dialect">): string {
  return dialect.callIds ? fittingName(id, dialect.callIds) : id;
}

function toolChoice(choice: ToolChoice): string | JsonObject {
  return typeof choice === "string"
    ? choice
    : { type: "function", function: { name: choice.name } };
}
