import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";

// A log is one JSON object per line. A line that ends in a space is followed by more of its batch: a reader accepts a
// batch only with its last line, so a torn batch never shows.
const NEWLINE = 0x0a;
const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const DOLLAR = 0x24;
const BASE64_PREFIX = '{"$base64":"';
const CHUNK_BYTES = 256 * 1024;

/** Encodes one batch. An entry that is not a JSON object on one line is stored as Base64. */
export function encodeBatch(entries: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const [index, entry] of entries.entries()) {
    const isLast = index === entries.length - 1;
    parts.push(isPlain(entry) ? entry : wrap(entry), Buffer.from(isLast ? "\n" : " \n"));
  }
  return Buffer.concat(parts);
}

/**
 * The entry of a line, without its terminator: a view of the line's bytes. A line damaged by a person or a disk is
 * returned unchanged.
 */
export function decodeLine(line: Buffer): Uint8Array {
  if (!startsLikeBase64(line)) return new Uint8Array(line.buffer, line.byteOffset, line.byteLength);
  const end = line.indexOf('"', BASE64_PREFIX.length);
  return Uint8Array.from(Buffer.from(line.toString("latin1", BASE64_PREFIX.length, end), "base64"));
}

export interface Line {
  /** The line without its terminator. */
  bytes: Buffer;
  /** Start of the next line. */
  end: number;
  endsBatch: boolean;
}

/** The complete lines between two offsets of a file, as many at a time as came in one read. */
export async function* readLines(
  handle: FileHandle,
  start: number,
  end: number,
): AsyncGenerator<Line[], void> {
  let position = start;
  let unfinished: Buffer[] = [];
  while (position < end) {
    // Never a part of the memory that all small buffers share: entries are views of it.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    const lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0 && at < bytesRead;) {
      const piece = chunk.subarray(from, at);
      const whole = unfinished.length > 0 ? Buffer.concat([...unfinished, piece]) : piece;
      unfinished = [];
      const endsBatch = whole.at(-1) !== SPACE;
      from = at + 1;
      lines.push({
        bytes: endsBatch ? whole : whole.subarray(0, -1),
        end: position + from,
        endsBatch,
      });
      at = chunk.indexOf(NEWLINE, from);
    }
    if (from < bytesRead) unfinished.push(chunk.subarray(from, bytesRead));
    position += bytesRead;
    if (lines.length > 0) yield lines;
  }
}

function isPlain(entry: Uint8Array): boolean {
  if (entry.at(0) !== OPEN || entry.at(-1) !== CLOSE || entry.includes(NEWLINE)) return false;
  const text = Buffer.from(entry.buffer, entry.byteOffset, entry.byteLength);
  return isUtf8(text) && !startsLikeBase64(text) && isJson(text.toString("utf8"));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function wrap(entry: Uint8Array): Buffer {
  return Buffer.from(`${BASE64_PREFIX}${Buffer.from(entry).toString("base64")}"}`);
}

function startsLikeBase64(line: Buffer): boolean {
  // Checked for every line, so the most selective byte comes first.
  return line[2] === DOLLAR && line.toString("latin1", 0, BASE64_PREFIX.length) === BASE64_PREFIX;
}
