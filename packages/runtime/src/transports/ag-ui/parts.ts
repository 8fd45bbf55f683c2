import type { Attachment, Content } from "../../messages/message.ts";
import { contentText } from "../../messages/message.ts";
import { attachmentsIn } from "../../session/queue.ts";
import type { AgUiPart } from "./events.ts";

/** The content of a result: its text, or parts where it has images or files. */
export function partsOf(content: Content): string | AgUiPart[] {
  const attachments = attachmentsIn(content);
  const text = contentText(content);
  if (attachments.length === 0) return text;
  const words: AgUiPart[] = text === "" ? [] : [{ type: "text", text }];
  return [...words, ...attachments.map(partOf)];
}

function partOf(attachment: Attachment): AgUiPart {
  const { mediaType: mimeType, data: value } = attachment;
  if (attachment.type === "file") {
    const { name: filename } = attachment;
    const source = { type: "data" as const, value: attachment.data, mimeType };
    return filename === undefined
      ? { type: "document", source }
      : { type: "document", source, metadata: { filename } };
  }
  if (value !== undefined) return { type: "image", source: { type: "data", value, mimeType } };
  return { type: "image", source: { type: "url", value: attachment.url ?? "", mimeType } };
}
