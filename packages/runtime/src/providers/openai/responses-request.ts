import { defined } from "../../defined.ts";
import { fittingName, fittingToolName } from "../../fitting-name.ts";
import {
  type AssistantMessage,
  type Content,
  contentText,
  type JsonObject,
  type Message,
  type Part,
  type ToolCall,
} from "../../messages/message.ts";
import { writtenOrder } from "../answer.ts";
import { object, text } from "../json.ts";
import type { ChatOptions, ToolChoice, ToolSchema } from "../provider.ts";
import { fileData, fileText, imageUrl, inputParts, type RequestDefaults } from "./content.ts";
import { effort, REASONS, wantedEffort } from "./effort.ts";
import { WrittenStart, WrittenStarts } from "../written-start.ts";
import { detailsOf } from "./reasoning-details.ts";
import { strictFormat } from "./strict-schema.ts";

/**
 * Writes requests of the Responses API, without state at the service: the whole conversation is sent, with the
 * reasoning in its encrypted form. The serialised part of a conversation is reused in its next request.
 */
export class ResponsesRequestWriter {
  readonly #defaults: RequestDefaults;
  readonly #starts = new WrittenStarts<undefined>();
  readonly #tools = new WeakMap<ToolSchema, string>();

  constructor(defaults: RequestDefaults) {
    this.#defaults = defaults;
  }

  write(messages: readonly Message[], options: ChatOptions): string {
    const { model, maxTokens } = this.#defaults;
    const asked = options.model ?? model;
    const head: JsonObject = { model: asked, stream: this.#defaults.stream, store: false };
    const limit = options.maxTokens ?? maxTokens;
    if (limit !== undefined) head["max_output_tokens"] = limit;
    if (options.temperature !== undefined) head["temperature"] = options.temperature;
    const reasoning = wantedEffort(options.effort, asked) ?? effort(options.thinking);
    if (options.thinking || reasoning) {
      head["reasoning"] = defined({
        summary: options.thinking ? "auto" : undefined,
        effort: reasoning,
      });
    }
    // Models that do not reason reject this.
    if (options.thinking || REASONS.test(asked)) head["include"] = ["reasoning.encrypted_content"];
    if (options.responseFormat) {
      const { name, schema } = options.responseFormat;
      head["text"] = { format: { type: "json_schema", name, ...strictFormat(schema) } };
    }
    const fields = [JSON.stringify(head).slice(1, -1)];
    const tools = (options.tools ?? []).map((tool) => this.#toolJson(tool));
    if (options.nativeWebSearch) tools.push('{"type":"web_search"}');
    if (tools.length > 0) {
      fields.push(`"tools":[${tools.join(",")}]`);
      if (options.toolChoice !== undefined)
        fields.push(`"tool_choice":${JSON.stringify(toolChoice(options.toolChoice))}`);
    }
    return this.#withInput(`{${fields.join(",")},"input":[`, messages);
  }

  #withInput(head: string, messages: readonly Message[]): string {
    const start = this.#starts.take(messages, messages.length) ?? new WrittenStart(undefined, ",");
    for (const message of messages.slice(start.messages.length))
      start.add(
        message,
        items(message, this.#defaults.provider)
          .map((item) => JSON.stringify(item))
          .join(","),
      );
    this.#starts.keep(start, messages);
    return start.request(head, [], "]}");
  }

  #toolJson(tool: ToolSchema): string {
    let json = this.#tools.get(tool);
    if (json === undefined) {
      const { name, description, parameters } = tool;
      // Strict is this API's default, and admits few schemas.
      json = JSON.stringify({ type: "function", name, description, parameters, strict: false });
      this.#tools.set(tool, json);
    }
    return json;
  }
}

function items(message: Message, provider: string): JsonObject[] {
  switch (message.role) {
    case "system": {
      const content = contentText(message.content);
      return content.trim() === "" ? [] : [{ role: "system", content: content.toWellFormed() }];
    }
    case "user": {
      const content = inputContent(message.content);
      return content.length === 0 ? [] : [{ role: "user", content }];
    }
    case "tool": {
      const output = inputContent(message.content);
      return [
        {
          type: "function_call_output",
          call_id: callId(message.toolCallId),
          output: output.length === 0 ? "(no output)" : output,
        },
      ];
    }
    case "assistant":
      return assistantItems(message, provider);
  }
}

function assistantItems(message: AssistantMessage, provider: string): JsonObject[] {
  const written: JsonObject[] = [];
  let phase: string | undefined;
  for (const item of writtenOrder(message, provider)) {
    if (!("type" in item)) {
      written.push(functionCall(item));
    } else if (item.type === "provider") {
      const data = object(item.data);
      // The same service's thoughts by its other API.
      if (detailsOf(item.data) !== undefined) continue;
      if (data["type"] === "message_phase") phase = text(data["phase"]);
      // The service has kept nothing: reasoning that came without its encrypted form can't be referred to.
      else if (data["type"] !== "reasoning" || data["encrypted_content"]) written.push(data);
    } else if (item.type === "text" && item.text.trim() !== "") {
      const words: JsonObject = { role: "assistant", content: item.text.toWellFormed() };
      written.push(phase === undefined ? words : { ...words, phase });
      phase = undefined;
    }
  }
  return written;
}

function functionCall({ id, name, args }: ToolCall): JsonObject {
  return {
    type: "function_call",
    call_id: callId(id),
    name: fittingToolName(name),
    arguments: JSON.stringify(args),
  };
}

/** The service accepts up to 64 characters; other services' ids may be longer. */
function callId(id: string): string {
  return fittingName(id, { maxLength: 64, rejected: /[^\w.:|-]/g });
}

/** Text alone stays text. */
function inputContent(content: Content): string | JsonObject[] {
  if (typeof content === "string") return content.toWellFormed();
  const parts = inputParts(content).flatMap((part) => inputItem(part));
  return parts.every((part) => part["type"] === "input_text")
    ? parts.map((part) => text(part["text"])).join("\n")
    : parts;
}

function inputItem(part: Part): JsonObject[] {
  switch (part.type) {
    case "text":
      return [{ type: "input_text", text: part.text.toWellFormed() }];
    case "image":
      return [{ type: "input_image", image_url: imageUrl(part), detail: "auto" }];
    case "file": {
      const words = fileText(part);
      return [
        words === undefined
          ? { type: "input_file", ...fileData(part) }
          : { type: "input_text", text: words },
      ];
    }
    case "thinking":
    case "provider":
      return [];
  }
}

function toolChoice(choice: ToolChoice): string | JsonObject {
  return typeof choice === "string" ? choice : { type: "function", name: choice.name };
}
