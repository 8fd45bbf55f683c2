import { concatBytes, decodeText, encodeText } from "@robota/runtime/ports";
import { fatal, notHere } from "../failure.ts";

/** An entry of `.git/index`: the staged content of a path. */
export interface IndexEntry {
  path: string;
  oid: string;
  /** The mode, as in trees: 0o100644, 0o100755, 0o120000, 0o160000. */
  mode: number;
  /** 0, or 1 to 3 for the base, our and their side of a conflict. */
  stage: number;
  /** Size of the file when it last matched; 0 when unchecked. */
  size: number;
  mtimeMs: number;
  intentToAdd: boolean;
}

const SIGNATURE = 0x44495243;
const HEADER = 12;
const FIXED = 62;
const TRAILER = 20;
const EXTENDED = 0x4000;
const INTENT_TO_ADD = 0x2000;

/** @throws {GitFailure} For an invalid index, or an unsupported version. */
export function parseIndex(bytes: Uint8Array): IndexEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER + TRAILER || view.getUint32(0) !== SIGNATURE)
    throw fatal("index file corrupt");
  const version = view.getUint32(4);
  if (version !== 2 && version !== 3)
    throw notHere(`an index of version ${version}`, "write it with index.version=2");
  const entries: IndexEntry[] = [];
  let at = HEADER;
  for (let left = view.getUint32(8); left > 0; left--) {
    const flags = view.getUint16(at + 60);
    const isExtended = (flags & EXTENDED) !== 0;
    const start = at + FIXED + (isExtended ? 2 : 0);
    const end = bytes.indexOf(0, start);
    if (end < 0) throw fatal("index file corrupt");
    entries.push({
      path: decodeText(bytes.subarray(start, end)),
      oid: toHex(bytes.subarray(at + 40, at + 60)),
      mode: view.getUint32(at + 24),
      stage: (flags >> 12) & 3,
      size: view.getUint32(at + 36),
      mtimeMs: view.getUint32(at + 8) * 1000 + Math.floor(view.getUint32(at + 12) / 1e6),
      intentToAdd: isExtended && (view.getUint16(at + FIXED) & INTENT_TO_ADD) !== 0,
    });
    at += Math.ceil((end - at + 1) / 8) * 8;
  }
  return entries;
}

export async function formatIndex(entries: readonly IndexEntry[]): Promise<Uint8Array> {
  const isExtended = entries.some(({ intentToAdd }) => intentToAdd);
  const header = new Uint8Array(HEADER);
  const view = new DataView(header.buffer);
  view.setUint32(0, SIGNATURE);
  view.setUint32(4, isExtended ? 3 : 2);
  view.setUint32(8, entries.length);
  const sorted = entries.toSorted(
    (one, other) => compareText(one.path, other.path) || one.stage - other.stage,
  );
  const body = concatBytes([header, ...sorted.map(formatEntry)]);
  return concatBytes([body, new Uint8Array(await crypto.subtle.digest("SHA-1", body.slice()))]);
}

function formatEntry(entry: IndexEntry): Uint8Array {
  const path = encodeText(entry.path);
  const fixed = FIXED + (entry.intentToAdd ? 2 : 0);
  const bytes = new Uint8Array(Math.ceil((fixed + path.length + 1) / 8) * 8);
  const view = new DataView(bytes.buffer);
  const [seconds, nanoseconds] = [
    Math.floor(entry.mtimeMs / 1000),
    Math.floor(entry.mtimeMs % 1000) * 1e6,
  ];
  for (const offset of [0, 8]) {
    view.setUint32(offset, seconds);
    view.setUint32(offset + 4, nanoseconds);
  }
  view.setUint32(24, entry.mode);
  view.setUint32(36, entry.size);
  bytes.set(fromHex(entry.oid), 40);
  const extended = entry.intentToAdd ? EXTENDED : 0;
  view.setUint16(60, extended | (entry.stage << 12) | Math.min(path.length, 0xfff));
  if (entry.intentToAdd) view.setUint16(FIXED, INTENT_TO_ADD);
  bytes.set(path, fixed);
  return bytes;
}

/** Compares by bytes, git's order; it differs from UTF-16 order only beyond the first plane. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
