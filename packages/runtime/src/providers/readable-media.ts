import { isBase64 } from "../bytes.ts";
import type { FilePart, ImagePart, TextPart } from "../messages/message.ts";

/** Limits of what a service reads. */
export interface ReadableMedia {
  /** Characters of a picture's Base64. */
  maxPictureLength?: number;
  /** True where files are text or PDF. */
  isPdfOnly?: boolean;
}

/** The pictures that all services read, by the start of their Base64: tools and people name others wrongly at times. */
const PICTURES: readonly [type: string, start: RegExp][] = [
  ["image/png", /^iVBORw0KGgo/],
  ["image/jpeg", /^\/9j\//],
  ["image/gif", /^R0lGOD/],
  ["image/webp", /^UklGR.{7}RUJQ/],
];
const TEXT = /^text\/|[/+](?:json|xml|yaml|toml|javascript)$/;

/**
 * The part as a service takes it; words about it where it would refuse it. A refused part would stay in the conversation,
 * and end every later request of it, too.
 */
export function readablePart(
  part: ImagePart | FilePart,
  service: ReadableMedia,
): ImagePart | FilePart | TextPart {
  return part.type === "image" ? readablePicture(part, service) : readableFile(part, service);
}

function readablePicture(
  part: ImagePart,
  { maxPictureLength = Infinity }: ReadableMedia,
): ImagePart | TextPart {
  const { data } = part;
  if (data === undefined) return part;
  if (data === "") return leftOut(part, "it is empty");
  if (!isBase64(data)) return leftOut(part, "it is not Base64");
  if (data.length > maxPictureLength) return leftOut(part, "it is too large for the model");
  const named = part.mediaType.toLowerCase().replace("/jpg", "/jpeg");
  const isKnown = PICTURES.some(([type]) => type === named);
  const mediaType = PICTURES.find(([, start]) => start.test(data))?.[0] ?? (isKnown && named);
  if (!mediaType) return leftOut(part, "models read PNG, JPEG, GIF and WebP");
  return mediaType === part.mediaType ? part : { ...part, mediaType };
}

function readableFile(part: FilePart, { isPdfOnly = false }: ReadableMedia): FilePart | TextPart {
  const { mediaType, data } = part;
  if (data === "") return leftOut(part, "it is empty");
  if (!isBase64(data)) return leftOut(part, "it is not Base64");
  if (TEXT.test(mediaType)) return { ...part, mediaType: "text/plain" };
  if (isPdfOnly && mediaType !== "application/pdf")
    return leftOut(part, "the model reads text and PDF");
  return part;
}

function leftOut(part: ImagePart | FilePart, why: string): TextPart {
  const { name = part.type === "image" ? "An image" : "A file" } = part;
  return { type: "text", text: `[${name} (${part.mediaType}) is left out: ${why}]` };
}
