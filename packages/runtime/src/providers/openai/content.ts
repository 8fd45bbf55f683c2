import type { Content, FilePart, ImagePart, JsonObject, Part } from "../../messages/message.ts";

/** What the requests of both APIs are made from. */
export interface RequestDefaults {
  provider: string;
  model: string;
  maxTokens: number | undefined;
}

export function imageUrl({ mediaType, data, url }: ImagePart): string {
  return data === undefined ? (url ?? "") : `data:${mediaType};base64,${data}`;
}

/** The text of a text file, or undefined when the file is something else. */
export function fileText({ mediaType, data, name }: FilePart): string | undefined {
  if (!mediaType.startsWith("text/")) return undefined;
  const text = new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
  return name === undefined ? text : `${name}:\n${text}`;
}

export function fileData({ mediaType, data, name }: FilePart): JsonObject {
  return { filename: name ?? "file", file_data: `data:${mediaType};base64,${data}` };
}

/** Content as parts; text that is empty is none. */
export function inputParts(content: Content): Part[] {
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return parts.filter((part) => part.type !== "text" || part.text !== "");
}

/** Reasoning effort for a budget in tokens; undefined leaves it to the model. */
export function effort(
  thinking: boolean | { budgetTokens: number } | undefined,
): string | undefined {
  if (typeof thinking !== "object") return undefined;
  if (thinking.budgetTokens < 4_096) return "low";
  return thinking.budgetTokens < 16_384 ? "medium" : "high";
}
