import type { Attachment } from "../messages/message.ts";

/** The address of an image or a file: its content as a `data:` address, or the place that an image names. */
export function attachmentUrl(attachment: Attachment): string {
  const { mediaType, data } = attachment;
  if (data !== undefined) return `data:${mediaType};base64,${data}`;
  return attachment.type === "image" ? (attachment.url ?? "") : "";
}
