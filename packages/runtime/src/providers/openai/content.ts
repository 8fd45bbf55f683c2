import type {
  Citation,
  Content,
  FilePart,
  ImagePart,
  JsonObject,
  Part,
} from "../../messages/message.ts";
import { list, object, text } from "../json.ts";
import type { ReasoningEffort } from "../provider.ts";

/** Defaults of requests to both APIs. */
export interface RequestDefaults {
  provider: string;
  model: string;
  maxTokens: number | undefined;
  /** False asks for answers in one piece. */
  stream: boolean;
}

export function imageUrl({ mediaType, data, url }: ImagePart): string {
  return data === undefined ? (url ?? "") : `data:${mediaType};base64,${data}`;
}

/** The text of a text file, or undefined when the file is something else. */
export function fileText({ mediaType, data, name }: FilePart): string | undefined {
  if (!mediaType.startsWith("text/")) return undefined;
  const words = new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
  return name === undefined ? words : `${name}:\n${words}`;
}

export function fileData({ mediaType, data, name }: FilePart): JsonObject {
  return { filename: name ?? "file", file_data: `data:${mediaType};base64,${data}` };
}

/** Content as parts, without empty text. */
export function inputParts(content: Content): Part[] {
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return parts.filter((part) => part.type !== "text" || part.text !== "");
}

/** The pages that an answer's annotations cite. */
export function citations(annotations: unknown): Citation[] {
  return list(annotations).flatMap((annotation): Citation[] => {
    const outer = object(annotation);
    // Chat Completions has the facts one level deeper than Responses.
    const facts = outer["url_citation"] ? object(outer["url_citation"]) : outer;
    const url = text(facts["url"]);
    if (url === "") return [];
    const citation: Citation = { url };
    if (facts["title"]) citation.title = text(facts["title"]);
    if (facts["content"]) citation.citedText = text(facts["content"]);
    return [citation];
  });
}

/** Models that reason by default; their thinking belongs to the calls that follow it. The others reject settings for it. */
export const REASONS = /^(?:o[1-9]|gpt-(?:[5-9]|\d{2})|codex)(?!.*-chat)/;
/** Those that know a level above `high`. */
const REASONS_LONG = /^gpt-(?:5\.[2-9]|[6-9]|\d{2})/;

/** The wanted effort as a model of this service knows it; nothing for one that does not reason. */
export function wantedEffort(
  wanted: ReasoningEffort | undefined,
  model: string,
): string | undefined {
  if (wanted === undefined || !REASONS.test(model)) return undefined;
  if (wanted !== "xhigh" && wanted !== "max") return wanted;
  return REASONS_LONG.test(model) ? "xhigh" : "high";
}

/** Reasoning effort for a budget in tokens; undefined leaves it to the model. */
export function effort(
  thinking: boolean | { budgetTokens: number } | undefined,
): string | undefined {
  if (typeof thinking !== "object") return undefined;
  if (thinking.budgetTokens < 4_096) return "low";
  return thinking.budgetTokens < 16_384 ? "medium" : "high";
}
