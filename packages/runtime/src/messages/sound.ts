import type { Content, Message, Part, ToolCall } from "./message.ts";

/** Repairs of a single message. */
export type MessageRepair = "lone_surrogate" | "empty_part" | "empty_message";

interface SoundMessage {
  message?: Message;
  repairs: readonly MessageRepair[];
}

const NONE: readonly MessageRepair[] = [];

/**
 * The message without content that providers reject: lone surrogates and empty text. The same object when there is
 * none.
 */
export function soundMessage(message: Message): SoundMessage {
  let content = soundContent(message.content);
  if (typeof content === "string" && content === message.content && !isEmpty(message))
    return { message, repairs: NONE };
  const repairs: MessageRepair[] = [];
  if (content !== message.content) repairs.push("lone_surrogate");
  const filled = withoutEmptyText(content);
  if (filled !== content) repairs.push("empty_part");
  content = filled;
  const sound = content === message.content ? message : { ...message, content };
  if (!isEmpty(sound)) return { message: sound, repairs };
  return { repairs: [...repairs, "empty_message"] };
}

/** The call with well-formed text in all it says; its id is the caller's to mend. Itself when it is sound. */
export function soundCall(call: ToolCall): ToolCall {
  const { id, ...said } = call;
  return isSound(said) ? call : { id, ...wellFormed(said) };
}

function soundContent(content: Content): Content {
  if (typeof content === "string") return wellFormed(content);
  const sound: Part[] = [];
  for (const part of content) {
    const mended = wellFormed(part);
    // A provider takes a signed thought back only unchanged.
    if (mended !== part && part.type === "thinking" && part.signature !== undefined) continue;
    sound.push(mended);
  }
  return sound.length === content.length && sound.every((part, index) => part === content[index])
    ? content
    : sound;
}

function withoutEmptyText(content: Content): Content {
  if (typeof content === "string") return content;
  const filled = content.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return filled.length === content.length ? content : filled;
}

function isEmpty(message: Message): boolean {
  if (message.role === "tool") return false;
  if (message.role === "assistant" && message.toolCalls?.length) return false;
  if (typeof message.content === "string") return message.content.trim() === "";
  // Thinking alone is not an answer, and services reject an answer that ends with it.
  return message.content.every(({ type }) => type === "thinking");
}

/** Plain data with well-formed texts and keys. Returns the same object when it is well-formed already. */
function wellFormed<Value>(value: Value): Value;
function wellFormed(value: unknown): unknown {
  // Nearly everything is, and to find that out costs no copy.
  if (isSound(value)) return value;
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item));
  const fields = Object.entries(value as object);
  return Object.fromEntries(
    fields.map(([key, field]: [string, unknown]) => [wellFormed(key), wellFormed(field)]),
  );
}

function isSound(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isSound);
  for (const key of Object.keys(value))
    if (!key.isWellFormed() || !isSound((value as Record<string, unknown>)[key])) return false;
  return true;
}
