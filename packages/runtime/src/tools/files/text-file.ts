/** The encoding of a text in a file, so that it can be written back the same way. */
export interface TextForm {
  encoding: "utf-8" | "utf-16le" | "utf-16be";
  /** True when the file starts with a byte order mark, which is not part of its text. */
  bom: boolean;
}

export interface TextFile extends TextForm {
  text: string;
  /** True when every byte could be decoded. If not, writing the text back would corrupt the rest. */
  exact: boolean;
}

/** A NUL in this many bytes at the start marks a binary file; git probes as many. */
const PROBE_BYTES = 8000;

/** Reports whether a file is binary, by its beginning. */
export function isBinary(bytes: Uint8Array): boolean {
  if (isUtf32(bytes)) return true;
  return textForm(bytes).encoding === "utf-8" && bytes.subarray(0, PROBE_BYTES).includes(0);
}

/** The probable encoding of text that looks binary. */
export function foreignEncoding(bytes: Uint8Array): string | undefined {
  if (isUtf32(bytes)) return "UTF-32";
  const probe = bytes.subarray(0, PROBE_BYTES);
  if (probe.length < 2) return undefined;
  const zeros = [0, 0];
  probe.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1;
  });
  // Letters of European languages have an empty half, and it is always the same one.
  const [even, odd] = zeros;
  const most = probe.length * 0.35;
  if (odd! > most && even === 0) return "UTF-16LE";
  return even! > most && odd === 0 ? "UTF-16BE" : undefined;
}

function isUtf32(bytes: Uint8Array): boolean {
  const [a, b, c, d] = bytes;
  return (
    (a === 0xff && b === 0xfe && c === 0 && d === 0) ||
    (a === 0 && b === 0 && c === 0xfe && d === 0xff)
  );
}

/** The text of a file: UTF-8, or UTF-16 with a byte order mark. `undefined` for a binary file. */
export function decodeText(bytes: Uint8Array): TextFile | undefined {
  if (isBinary(bytes)) return undefined;
  const form = textForm(bytes);
  try {
    const text = new TextDecoder(form.encoding, { fatal: true }).decode(bytes);
    return { ...form, text, exact: true };
  } catch {
    // `fatal` serves only for detection; the lossy text is still the best one to show.
    return { ...form, text: new TextDecoder(form.encoding).decode(bytes), exact: false };
  }
}

const LOSSY = {
  "utf-8": new TextDecoder("utf-8"),
  "utf-16le": new TextDecoder("utf-16le"),
  "utf-16be": new TextDecoder("utf-16be"),
};

/** The text of `decodeText`, also for a binary file. */
export function lossyText(bytes: Uint8Array): string {
  return LOSSY[textForm(bytes).encoding].decode(bytes);
}

/** The encoding of a file's text, by its byte order mark. */
export function textForm(bytes: Uint8Array): TextForm {
  const first = bytes[0];
  const second = bytes[1];
  if (first === 0xff && second === 0xfe) return { encoding: "utf-16le", bom: true };
  if (first === 0xfe && second === 0xff) return { encoding: "utf-16be", bom: true };
  return { encoding: "utf-8", bom: first === 0xef && second === 0xbb && bytes[2] === 0xbf };
}

/** The bytes of a text in the form of the file it belongs to. */
export function encodeText(text: string, { encoding, bom }: TextForm): Uint8Array {
  const marked = bom ? `\ufeff${text}` : text;
  if (encoding === "utf-8") return new TextEncoder().encode(marked);
  const wellFormed = marked.toWellFormed();
  const bytes = new Uint8Array(wellFormed.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < wellFormed.length; index += 1) {
    view.setUint16(index * 2, wellFormed.charCodeAt(index), encoding === "utf-16le");
  }
  return bytes;
}

export type LineEnding = "\n" | "\r\n";

/** The line ending of a text whose lines all end alike; `undefined` for mixed ones and for a single line. */
export function lineEnding(text: string): LineEnding | undefined {
  let lines = 0;
  let windows = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (text[at - 1] === "\r") windows += 1;
  }
  if (lines === 0 || (windows > 0 && windows < lines)) return undefined;
  return windows > 0 ? "\r\n" : "\n";
}

/** The text with every line ended in the same way. */
export function withLineEnding(text: string, ending: LineEnding): string {
  const unix = text.replaceAll("\r\n", "\n");
  return ending === "\n" ? unix : unix.replaceAll("\n", "\r\n");
}

const IMAGES: readonly { mediaType: string; matches: (bytes: Uint8Array) => boolean }[] = [
  { mediaType: "image/png", matches: (bytes) => ascii(bytes, 1, 4) === "PNG" && bytes[0] === 0x89 },
  {
    mediaType: "image/jpeg",
    matches: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff,
  },
  { mediaType: "image/gif", matches: (bytes) => /^GIF8[79]a$/.test(ascii(bytes, 0, 6)) },
  {
    mediaType: "image/webp",
    matches: (bytes) => ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP",
  },
];

/** The media type of an image that models accept, by its first bytes and not by its name. */
export function imageType(bytes: Uint8Array): string | undefined {
  return IMAGES.find(({ matches }) => matches(bytes))?.mediaType;
}

export function isPdf(bytes: Uint8Array): boolean {
  return ascii(bytes, 0, 5) === "%PDF-";
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

/** Base64 without line breaks. */
export function toBase64(bytes: Uint8Array): string {
  // In chunks, because the number of arguments of a call is limited.
  const size = 0x8000;
  let binary = "";
  for (let from = 0; from < bytes.length; from += size) {
    binary += String.fromCharCode(...bytes.subarray(from, from + size));
  }
  return btoa(binary);
}
