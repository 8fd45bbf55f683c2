import { PREFIX } from "./link-prefix.ts";

/** Characters of a link's fragment: what chat programs, mail and every browser still pass on. */
export const LINK_LIMIT = 32_000;
/** Bytes of a session from a link, unpacked. A small text can unpack to a huge one. */
const UNPACKED_LIMIT = 4_000_000;

/** The fragment of a link that holds an export, compressed. */
export async function linkFragment(exported: Uint8Array<ArrayBuffer>): Promise<string> {
  const packed = await throughStream(exported, new CompressionStream("deflate-raw"), Infinity);
  return PREFIX + toBase64Url(packed);
}

/** The export in a link. @throws {Error} for a link that was cut, or unpacks to too much */
export async function sessionInLink(fragment: string): Promise<Uint8Array<ArrayBuffer>> {
  let packed: Uint8Array<ArrayBuffer>;
  try {
    packed = fromBase64Url(fragment.slice(PREFIX.length));
  } catch (cause) {
    throw new Error("The link is damaged: it may have been cut when it was sent.", { cause });
  }
  return throughStream(packed, new DecompressionStream("deflate-raw"), UNPACKED_LIMIT);
}

async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new Error("The link is damaged: it may have been cut when it was sent.", { cause });
    });
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new Error("The session in this link is too large to import.");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Bytes that become one call's arguments. */
const PIECE = 8192;

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws {DOMException} for anything but base64url */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
