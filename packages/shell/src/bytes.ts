import { decodeText } from "@robota/runtime/ports";

const encoder = new TextEncoder();
/** One character per byte, except for the characters of Windows-1252 in place of ISO 8859-1's control characters. */
const singleBytes = new TextDecoder("windows-1252");
const beyondBytes = /[^\0-\xff]/g;
const byteOfLetter = new Map(
  Array.from({ length: 32 }, (_, at) => {
    const byte = 0x80 + at;
    return [singleBytes.decode(Uint8Array.of(byte)), String.fromCharCode(byte)] as const;
  }),
);

/** One character per byte, the form in which commands pass bytes on. */
export function toByteString(bytes: Uint8Array): string {
  // The host's decoder is many times as fast as a loop.
  const text = singleBytes.decode(bytes);
  return text.replace(beyondBytes, (letter) => byteOfLetter.get(letter) ?? letter);
}

export function fromByteString(text: string): Uint8Array {
  const encoded = encoder.encode(text);
  // ASCII only, the usual case in pipes.
  if (encoded.length === text.length) return encoded;
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** The text of a byte string; invalid UTF-8 becomes U+FFFD. */
export function decodeByteString(text: string): string {
  return decodeText(fromByteString(text));
}

/** The longest prefix of `text` that takes at most `limit` bytes of UTF-8. */
export function utf8Prefix(text: string, limit: number): string {
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(limit)).read);
}
