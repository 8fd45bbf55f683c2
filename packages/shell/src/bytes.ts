import { decodeText } from "@robota/runtime/ports";

const encoder = new TextEncoder();
/** A character per byte, but for those that Windows prints where ISO 8859-1 has control characters. */
const singleBytes = new TextDecoder("windows-1252");
const beyondBytes = /[^\0-\xff]/g;
const byteOfLetter = new Map(
  Array.from({ length: 32 }, (_, at) => {
    const byte = 0x80 + at;
    return [singleBytes.decode(Uint8Array.of(byte)), String.fromCharCode(byte)] as const;
  }),
);

/** A character per byte, as the interpreter passes bytes through its pipes. */
export function toByteString(bytes: Uint8Array): string {
  // The host's decoder is many times as fast as a loop.
  const text = singleBytes.decode(bytes);
  return text.replace(beyondBytes, (letter) => byteOfLetter.get(letter) ?? letter);
}

export function fromByteString(text: string): Uint8Array {
  const encoded = encoder.encode(text);
  // Nothing but ASCII, as most of what flows through pipes is.
  if (encoded.length === text.length) return encoded;
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** The text of a byte string; bytes that are no UTF-8 become U+FFFD. */
export function decodeByteString(text: string): string {
  return decodeText(fromByteString(text));
}

/** The longest prefix of `text` that takes at most `limit` bytes of UTF-8. */
export function utf8Prefix(text: string, limit: number): string {
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(limit)).read);
}
