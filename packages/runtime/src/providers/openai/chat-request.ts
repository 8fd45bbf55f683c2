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
import { text } from "../json.ts";
import type { ChatOptions, ToolChoice, ToolSchema } from "../provider.ts";
import { fileData, fileText, imageUrl, inputParts, type RequestDefaults } from "./content.ts";
import { type ChatDialect, thinkingFields } from "./dialect.ts";
import { detailsOf } from "./reasoning-details.ts";
import { strictFormat } from "./strict-schema.ts";

export interface ChatDefaults extends RequestDefaults {
  dialect: ChatDialect;
}

/** Writes requests of the Chat Completions API; each message and tool is turned into JSON once. */
export class ChatRequestWriter {
  readonly #defaults: ChatDefaults;
  readonly #messages = new WeakMap<Message, string>();
  readonly #tools = new WeakMap<ToolSchema, string>();

  constructor(defaults: ChatDefaults) {
    this.#defaults = defaults;
  }

  write(messages: readonly Message[], options: ChatOptions): string {
    const { model, maxTokens, stream, dialect } = this.#defaults;
    const head: JsonObject = { model: options.model ?? model, stream };
    if (stream && dialect.streamUsage) head["stream_options"] = { include_usage: true };
    const limit = options.maxTokens ?? maxTokens;
    if (limit !== undefined) head[dialect.maxTokensField] = limit;
    if (options.temperature !== undefined) head["temperature"] = options.temperature;
    Object.assign(head, thinkingFields(dialect, options.thinking));
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
    fields.push(`"messages":[${this.#messagesJson(messages).join(",")}]`);
    return `{${fields.join(",")}}`;
  }

  #messagesJson(messages: readonly Message[]): string[] {
    const written: string[] = [];
    /** What results of a batch can't hold follows behind all of them. */
    let pictures: JsonObject[] = [];
    const flush = (): void => {
      if (pictures.length > 0) written.push(JSON.stringify({ role: "user", content: pictures }));
      pictures = [];
    };
    for (const message of messages) {
      if (message.role === "tool") pictures.push(...resultPictures(message));
      else flush();
      let json = this.#messages.get(message);
      if (json === undefined) {
        json = messageJson(message, this.#defaults);
        this.#messages.set(message, json);
      }
      if (json !== "") written.push(json);
    }
    flush();
    return written;
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
        tool_call_id: message.toolCallId,
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
  const calls: JsonObject[] = [];
  const extras = callExtras(message, provider);
  for (const item of writtenOrder(message, provider)) {
    if (!("type" in item)) {
      const call = { name: item.name, arguments: JSON.stringify(item.args) };
      calls.push({ id: item.id, type: "function", function: call, ...extras.get(item.id) });
    } else if (item.type === "provider") details ??= detailsOf(item.data);
    else if (item.type === "text") content += item.text;
    else if (item.type === "thinking") thoughts += item.text;
  }
  if (content.trim() === "" && calls.length === 0) return "";
  const json: JsonObject = {
    role: "assistant",
    content: content === "" ? null : content.toWellFormed(),
  };
  // Servers that show their reasoning want it back with the calls that it led to.
  if (details !== undefined) json["reasoning_details"] = details;
  else if (calls.length > 0 && thoughts !== "" && message.provider === provider)
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

function toolChoice(choice: ToolChoice): string | JsonObject {
  return typeof choice === "string"
    ? choice
    : { type: "function", function: { name: choice.name } };
}
