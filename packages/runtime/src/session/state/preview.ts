import type { Content } from "../../messages/message.ts";

/** The text of a prompt for a list of sessions; the name of its first attachment when it has none. */
export function previewOf(content: Content): string {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  const words = parts.map((part) => ("text" in part ? part.text : "name" in part && part.name));
  return words.find(Boolean) || "";
}
