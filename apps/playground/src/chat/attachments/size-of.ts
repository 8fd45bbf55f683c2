import type { Attachment } from "@robota/runtime/sessions";

/** The size of an attachment in bytes; 0 for one that is only an address. */
export function sizeOf({ data = "" }: Attachment): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}

/** The name of an attachment for people. */
export function nameOf(attachment: Attachment): string {
  return attachment.name ?? (attachment.type === "image" ? "Picture" : "File");
}

/** A message in a line: its text, or the names of its attachments when it has none. */
export function titleOf(text: string, attachments: readonly Attachment[] = []): string {
  return text || attachments.map(nameOf).join(", ");
}

/** The address of a picture for an `img` element. */
export function addressOf(attachment: Attachment): string | undefined {
  if (attachment.type !== "image") return undefined;
  const { mediaType, data, url } = attachment;
  return data === undefined ? url : `data:${mediaType};base64,${data}`;
}
