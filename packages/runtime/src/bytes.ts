const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Encodes text as UTF-8. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Bytes that are not UTF-8 become U+FFFD; a byte order mark is kept. */
export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Joins byte arrays into a new one. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

const NOT_BASE64 = /[^A-Za-z0-9+/=]|=(?!=?$)/;

/**
 * True for what `atob` decodes, without white space. Looks for another character, since V8's expressions overflow their
 * stack where they match megabytes as a whole.
 */
export function isBase64(text: string): boolean {
  const odd = text.length % 4;
  return (text.endsWith("=") ? odd === 0 : odd !== 1) && !NOT_BASE64.test(text);
}
