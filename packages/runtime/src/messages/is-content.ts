import type { Content, Part } from "./message.ts";

/** Reports whether a value of a program that no compiler checked can be a message's content: text, or a list of parts. */
export function isContent(value: unknown): value is Content {
  return typeof value === "string" || (Array.isArray(value) && value.every(isPart));
}

function isPart(part: unknown): part is Part {
  if (typeof part !== "object" || part === null || !("type" in part)) return false;
  if (part.type === "text") return "text" in part && typeof part.text === "string";
  return typeof part.type === "string";
}
