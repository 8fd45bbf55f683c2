import type { SentFile } from "../../../interactive/attachments.ts";
import type { Attachment } from "../../../messages/message.ts";
import type { BodyLimits } from "./body-limits.ts";

/** Reads the attachments of a message, which together may be as large as a body. @throws as `readAttachments` */
export async function messageAttachments(
  files: readonly SentFile[],
  { bodyBytes }: Pick<BodyLimits, "bodyBytes">,
): Promise<Attachment[] | undefined> {
  // Most messages have none, and don't wait for the code.
  if (files.length === 0) return undefined;
  const { ATTACHMENT_LIMITS, readAttachments } =
    await import("../../../interactive/attachments.ts");
  return readAttachments(files, { ...ATTACHMENT_LIMITS, dataLength: bodyBytes });
}
