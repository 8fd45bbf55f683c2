import type { Attachment } from "@robota/runtime/sessions";
import { formatBytes } from "../../ui/format.ts";
import { sizeOf } from "./size-of.ts";

/** As many as the HTTP API takes. */
const MAX_ATTACHMENTS = 20;
/** Sizes in bytes. Models accept pictures of 5 MB as Base64, and requests of about 30 MB. */
const LIMITS = { picture: 3_750_000, document: 10_000_000, text: 200_000 } as const;
/** Bytes of all attachments of one prompt that goes to a server, whose requests may have 1 MB as Base64. */
const REMOTE_BYTES = 700_000;
/** Longest side of a picture that is scaled down, in pixels: models see no more. */
const MAX_SIDE = 2000;

export interface ReadOptions {
  /** The attachments that the prompt has already. */
  before: readonly Attachment[];
  /** True when the session is on a server. */
  isRemote: boolean;
}

/** Makes attachments of files. Those that can't be sent are left out, each with a sentence about why. */
export async function readAttachments(
  files: readonly File[],
  { before, isRemote }: ReadOptions,
): Promise<{ read: Attachment[]; problems: string[] }> {
  const read: Attachment[] = [];
  const problems: string[] = [];
  let room = isRemote ? REMOTE_BYTES - before.reduce((sum, one) => sum + sizeOf(one), 0) : Infinity;
  for (const file of files) {
    if (before.length + read.length >= MAX_ATTACHMENTS) {
      problems.push(`A message can have ${MAX_ATTACHMENTS} attachments. The others were left out.`);
      break;
    }
    try {
      const attachment = await attachmentOf(file, room);
      room -= sizeOf(attachment);
      read.push(attachment);
    } catch (error) {
      problems.push(error instanceof Refusal ? error.message : unreadable(file));
    }
  }
  return { read, problems };
}

/** A reason, in words for the person, why a file can't be sent. */
class Refusal extends Error {}

async function attachmentOf(file: File, room: number): Promise<Attachment> {
  const start = new Uint8Array(await file.slice(0, 16).arrayBuffer());
  const mediaType = pictureType(start);
  const { name } = file;
  if (mediaType) {
    const picture = await fitting(new Blob([file], { type: mediaType }), file, room);
    return { type: "image", mediaType: picture.type, data: await base64(picture), name };
  }
  if (String.fromCharCode(...start.subarray(0, 5)) === "%PDF-") {
    requireSize(file, "PDFs", Math.min(LIMITS.document, room));
    return { type: "file", mediaType: "application/pdf", data: await base64(file), name };
  }
  // Only a text can be told from other files by its beginning, so no more of a large one is read.
  if (!(await isText(file.slice(0, 8_000)))) throw new Refusal(unknown(name));
  requireSize(file, "Text files", Math.min(LIMITS.text, room));
  if (!(await isText(file))) throw new Refusal(unknown(name));
  return { type: "file", mediaType: "text/plain", data: await base64(file), name };
}

function unknown(name: string): string {
  return `${name} can't be sent: only pictures (PNG, JPEG, GIF, WebP), PDFs and text files can. Drop it on the files to work with it there.`;
}

function unreadable({ name }: File): string {
  return `${name} can't be read. Folders and large sets of files belong into the workspace: drop them on the files.`;
}

function requireSize({ name, size }: File, kind: string, most: number): void {
  if (size <= most) return;
  const limit =
    most > 0
      ? `${kind} in a message can have ${formatBytes(most)}`
      : "The message has no room left for it";
  throw new Refusal(
    `${name} has ${formatBytes(size)}. ${limit}. Drop it on the files and mention it with @ instead.`,
  );
}

/** The media type of a picture that models accept, by its first bytes. */
function pictureType(start: Uint8Array): string | undefined {
  const text = String.fromCharCode(...start);
  if (text.startsWith("\u0089PNG")) return "image/png";
  if (text.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  return text.startsWith("RIFF") && text.startsWith("WEBP", 8) ? "image/webp" : undefined;
}

async function isText(blob: Blob): Promise<boolean> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  if (bytes.includes(0)) return false;
  try {
    // A part may end within a character.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The picture, scaled down where it is larger than what can be sent. */
async function fitting(picture: Blob, file: File, room: number): Promise<Blob> {
  const limit = Math.min(LIMITS.picture, room);
  // A picture that the browser can't draw is broken.
  const bitmap = await createImageBitmap(picture).catch(() => undefined);
  if (!bitmap) throw new Refusal(`${file.name} is no picture that can be read.`);
  try {
    if (picture.size <= limit) return picture;
    for (let side = MAX_SIDE; side >= MAX_SIDE / 8; side /= 2) {
      const scaled = await scale(bitmap, side);
      if (scaled.size <= limit) return scaled;
    }
  } finally {
    bitmap.close();
  }
  requireSize(file, "Pictures", limit);
  return picture;
}

function scale(bitmap: ImageBitmap, side: number): Promise<Blob> {
  const factor = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * factor));
  const height = Math.max(1, Math.round(bitmap.height * factor));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (!context) throw new Refusal("This browser can't scale the picture down.");
  // JPEG knows no transparency.
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
}

/** Base64 without a prefix. */
function base64(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener("load", () => {
    const address = reader.result as string;
    resolve(address.slice(address.indexOf(",") + 1));
  });
  reader.addEventListener("error", () => reject(reader.error ?? new Error("unreadable")));
  reader.readAsDataURL(blob);
  return promise;
}
