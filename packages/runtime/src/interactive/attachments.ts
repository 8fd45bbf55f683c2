import { isBase64 } from "../bytes.ts";
import { defined } from "../defined.ts";
import { RobotaError } from "../errors.ts";
import type { Attachment } from "../messages/message.ts";
import { decodeText, imageType, isPdf, toBase64 } from "../tools/files/text-file.ts";

/** An image or a file as a client sent it. */
export interface SentFile {
  /** Base64 without a prefix. */
  data: string;
  /** The client's opinion of it; the bytes decide. */
  mediaType?: string | undefined;
  name?: string | undefined;
}

export interface AttachmentLimits {
  /** Attachments of one message. */
  count: number;
  /** Characters of Base64 of all of them together. */
  dataLength: number;
}

/** As many as HTTP takes in a message, and as much as its usual limit for bodies. */
export const ATTACHMENT_LIMITS: AttachmentLimits = { count: 20, dataLength: 1_048_576 };

/** The same for a client that brings its files over a pipe or a connection of its own: about what models take at once. */
export const OWN_CLIENT_LIMITS: AttachmentLimits = { count: 20, dataLength: 16 * 1_048_576 };

const MAX_NAME = 255;
const WORKSPACE_HINT =
  "Attach PNG, JPEG, GIF and WebP images, PDF documents and texts. Put anything else into the workspace and name it.";

/**
 * The attachments of a prompt from what a client sent: images and PDF documents as they are, texts as UTF-8. What they are
 * is read from the bytes: a model's service refuses a whole conversation for one image of another kind than it says.
 * @throws {RobotaError} `ATTACHMENT_REFUSED`, `ATTACHMENT_TOO_LARGE`
 */
export function readAttachments(
  files: readonly SentFile[],
  { count, dataLength }: AttachmentLimits = ATTACHMENT_LIMITS,
): Attachment[] {
  if (files.length > count) throw tooLarge(`The message has over ${count} attachments.`);
  const length = files.reduce((sum, { data }) => sum + data.length, 0);
  if (length > dataLength)
    throw tooLarge(`The attachments have over ${dataLength} characters of Base64.`);
  return files.map(readAttachment);
}

function readAttachment({ data, mediaType = "", name }: SentFile): Attachment {
  const shownName = name === undefined ? undefined : nameOf(name);
  const what = shownName ?? (mediaType === "" ? "An attachment" : `The ${mediaType}`);
  const bytes = bytesOf(data);
  if (!bytes) throw refusedFile(`${what} is not Base64.`, "Encode its bytes as Base64.");
  if (bytes.length === 0) throw refusedFile(`${what} is empty.`);
  const padded = data.padEnd(Math.ceil(data.length / 4) * 4, "=");
  const image = imageType(bytes);
  if (image !== undefined)
    return defined({ type: "image" as const, mediaType: image, data: padded, name: shownName });
  const file = defined({ type: "file" as const, name: shownName });
  if (isPdf(bytes)) return { ...file, mediaType: "application/pdf", data: padded };
  const text = decodeText(bytes);
  if (!text?.exact) throw refusedFile(`${what} is no image, PDF document or text.`);
  const isText = /^text\/[\w.+-]+$/.test(mediaType);
  return {
    ...file,
    mediaType: isText ? mediaType : "text/plain",
    data: text.encoding === "utf-8" ? padded : toBase64(new TextEncoder().encode(text.text)),
  };
}

/** The content of a `data:` address; `undefined` for any other. */
export function fileOfDataUrl(url: string): Omit<SentFile, "name"> | undefined {
  const [, head, body] = /^data:([^,]*),([^]*)$/i.exec(url) ?? [];
  if (head === undefined || body === undefined) return undefined;
  const [mediaType = "", ...parameters] = head.split(";").map((part) => part.trim());
  const isBase64 = parameters.at(-1)?.toLowerCase() === "base64";
  try {
    const decoded = decodeURIComponent(body);
    const data = isBase64 ? decoded : toBase64(new TextEncoder().encode(decoded));
    return { data, mediaType };
  } catch {
    throw refusedFile("A data: address is malformed.", "Send it as data:TYPE;base64,DATA.");
  }
}

/** The refusal of an attachment that is only named, by an address or an id. */
export function refusedReference(place: string): RobotaError {
  return refusedFile(
    `${place} is an address; a session keeps only attachments that come with the message.`,
    "Send the bytes themselves, in Base64 or as a data: address, or name the address in the text.",
  );
}

export function refusedFile(message: string, hint = WORKSPACE_HINT): RobotaError {
  const facts = { code: "ATTACHMENT_REFUSED", category: "user", recoverable: false } as const;
  return new RobotaError(message, { ...facts, hint });
}

function tooLarge(message: string): RobotaError {
  const facts = { code: "ATTACHMENT_TOO_LARGE", category: "user", recoverable: false } as const;
  const hint = "Send fewer or smaller ones, or put them into the workspace and name them.";
  return new RobotaError(message, { ...facts, hint });
}

function bytesOf(data: string): Uint8Array | undefined {
  if (!isBase64(data)) return undefined;
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** A file's own name, in one line, for the model and for people. */
function nameOf(name: string): string {
  const own = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  return own.replaceAll(/\p{Cc}+/gu, " ").slice(0, MAX_NAME);
}
