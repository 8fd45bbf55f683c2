// The engine's text is UTF-16, the data in its pipes are bytes. A byte that is no valid UTF-8 becomes a lone low surrogate
// (U+DC80 to U+DCFF), which no valid text contains, so that text keeps every byte on its way through a variable.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const ESCAPE = 0xdc00;
const CHUNK = 8_192;

/** Decodes UTF-8; every other byte stands for itself and survives `encodeShellText`. */
export function decodeShellText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeLossless(bytes);
  }
}

export function encodeShellText(text: string): Uint8Array {
  return text.isWellFormed() ? encoder.encode(text) : encodeEscaped(text);
}

/** The character that stands for a byte over 127. */
export function byteCharacter(byte: number): string {
  return String.fromCharCode(byte < 128 ? byte : ESCAPE + byte);
}

/** A character for each byte. */
export function byteCharacters(text: string): string {
  return Array.from(encodeShellText(text), byteCharacter).join("");
}

/** Joins bytes that stand side by side to the characters that they form in UTF-8. */
export function joinBytes(text: string): string {
  return text.isWellFormed() ? text : decodeShellText(encodeShellText(text));
}

function decodeLossless(bytes: Uint8Array): string {
  let text = "";
  let units: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) units.push(ESCAPE + (bytes[at] ?? 0));
    else if (length === 1) units.push(bytes[at] ?? 0);
    else {
      const character = decoder.decode(bytes.subarray(at, at + length));
      for (let unit = 0; unit < character.length; unit++) units.push(character.charCodeAt(unit));
    }
    at += Math.max(1, length);
    if (units.length > CHUNK) {
      text += String.fromCharCode(...units);
      units = [];
    }
  }
  return text + String.fromCharCode(...units);
}

/** The bytes of the character at `at`; 0 when it is not valid. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  // Most bytes that are alone have no follower, and an exception costs more than a look.
  if (((bytes[at + 1] ?? 0) & 0xc0) !== 0x80) return 0;
  try {
    decoder.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}

function encodeEscaped(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= ESCAPE + 0x80 && code <= ESCAPE + 0xff) bytes.push(code - ESCAPE);
    else bytes.push(...encoder.encode(character));
  }
  return Uint8Array.from(bytes);
}
