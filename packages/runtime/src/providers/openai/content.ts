import type {
  Citation,
  Content,
  FilePart,
  ImagePart,
  JsonObject,
  Part,
} from "../../messages/message.ts";
import { list, object, text } from "../json.ts";
import { readablePart } from "../readable-media.ts";

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

/** Content as parts that the service reads, without empty text. */
export function inputParts(content: Content): Part[] {
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return parts.flatMap((part) => {
    if (part.type === "text" && part.text === "") return [];
    return part.type === "image" || part.type === "file" ? readablePart(part, {}) : part;
  });
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
