import { decodeText } from "../../bytes.ts";
import type { Attachment } from "../../messages/message.ts";
import type { AcpContentBlock } from "./updates.ts";

/** An image or a file as the protocol shows it. */
export function attachmentBlock(attachment: Attachment): AcpContentBlock {
  const { mediaType: mimeType, data } = attachment;
  if (attachment.type === "image") {
    if (data !== undefined) return { type: "image", data, mimeType };
    const { url = "" } = attachment;
    return { type: "resource_link", uri: url, name: url, mimeType };
  }
  // A file of a message has no place of its own.
  const uri = `attachment:${encodeURIComponent(attachment.name ?? "file")}`;
  const { data: blob } = attachment;
  if (!mimeType.startsWith("text/")) return { type: "resource", resource: { uri, mimeType, blob } };
  const bytes = Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
  return { type: "resource", resource: { uri, mimeType, text: decodeText(bytes) } };
}
