import { contentText, type Message, type Part } from "@robota/runtime";
import {
  type Content,
  type JsonObject,
  type ToolChoice,
  type ToolSchema,
} from "@robota/runtime/providers";
import type { PromptContent, PromptMessage } from "./language-model.ts";

/** The prompts for one answer. */
export interface PromptConversation {
  /** The messages before the person's last turn. */
  initialPrompts: PromptMessage[];
  prompt: PromptMessage[];
  hasImages: boolean;
}

/**
 * Converts a history to the three roles of the browser's model. Calls are written in the model's own form, results as
 * user turns, since a model of this size attends only to those.
 */
export function conversationOf(
  messages: readonly Message[],
  tools: readonly ToolSchema[],
): PromptConversation {
  const lead = messages.filter(({ role }) => role === "system");
  const system = [...lead.map(({ content }) => contentText(content)), instructions(tools)]
    .filter((text) => text.trim() !== "")
    .join("\n\n");
  const turns = messages.flatMap((message) => turnOf(message));
  const last = turns.findLastIndex(({ role }) => role === "assistant");
  return {
    initialPrompts: [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      ...turns.slice(0, last + 1),
    ],
    prompt: turns.slice(last + 1),
    hasImages: turns.some(({ content }) => typeof content !== "string"),
  };
}

/** The form of an answer that may call one tool. */
export function constraintOf(
  tools: readonly ToolSchema[],
  choice: ToolChoice = "auto",
): JsonObject {
  const calls = tools
    .filter(({ name }) => typeof choice === "string" || name === choice.name)
    .map(({ name, parameters }) =>
      form({ tool: { const: name }, args: { type: "object", ...parameters } }),
    );
  const say = form({ say: { type: "string" } });
  return { anyOf: choice === "auto" ? [say, ...calls] : calls };
}

function form(properties: JsonObject): JsonObject {
  const required = Object.keys(properties);
  return { type: "object", properties, required, additionalProperties: false };
}

function instructions(tools: readonly ToolSchema[]): string {
  if (tools.length === 0) return "";
  const list = tools.map(
    ({ name, description, parameters }) =>
      `- ${name}: ${description}\n  arguments: ${JSON.stringify(parameters["properties"] ?? {})}`,
  );
  return [
    "Answer with one JSON object and nothing else.",
    'To talk: {"say": "…"}. To use a tool, one at a time: {"tool": "<name>", "args": {…}}. Its result comes as the next message.',
    "Tools:",
    ...list,
  ].join("\n");
}

function turnOf(message: Message): PromptMessage[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ role: "user", content: inputOf(message.content) }];
    case "tool": {
      const head = `Result of ${message.name}${message.isError ? " (it failed)" : ""}:\n`;
      return [{ role: "user", content: inputOf(message.content, head) }];
    }
    case "assistant": {
      const calls = (message.toolCalls ?? []).map(({ name, args }) =>
        JSON.stringify({ tool: name, args }),
      );
      const text = [contentText(message.content), ...calls].filter((line) => line.trim() !== "");
      return text.length === 0 ? [] : [{ role: "assistant", content: text.join("\n") }];
    }
  }
}

/** Text alone as text. */
function inputOf(content: Content, head = ""): string | PromptContent[] {
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const all = parts.flatMap((part) => partOf(part));
  const texts = all.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
  if (texts.length === all.length) return head + texts.join("\n");
  return head === "" ? all : [{ type: "text", value: head }, ...all];
}

function partOf(part: Part): PromptContent[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", value: part.text }];
    case "image":
      return part.data === undefined
        ? [{ type: "text", value: `(a picture at ${part.url ?? "nowhere"})` }]
        : [{ type: "image", value: new Blob([bytesOf(part.data)], { type: part.mediaType }) }];
    case "file": {
      const name = part.name ?? "file";
      const text = part.mediaType.startsWith("text/")
        ? new TextDecoder().decode(bytesOf(part.data))
        : `(${part.mediaType}, which the browser's model can't read)`;
      return [{ type: "text", value: `${name}:\n${text}` }];
    }
    case "thinking":
    case "provider":
      return [];
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
