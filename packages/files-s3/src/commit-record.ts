import { concatBytes } from "@robota/runtime/ports";
import type { ByteRange } from "./bucket.ts";
import { StoreFailure } from "./store-failure.ts";

/** Bytes that an operation brings, from the start of the commit's body. */
export interface Payload {
  offset: number;
  length: number;
}

/** A call of the file system that changes the tree. `strict` stands for `noFollow`. */
export type TreeOperation =
  | { do: "write" | "append"; path: string; strict?: true; payload: Payload }
  | { do: "mkdir"; path: string; strict?: true; recursive?: true }
  | { do: "remove"; path: string; strict?: true; recursive?: true; force?: true }
  | { do: "rename"; path: string; strict?: true; to: string }
  | { do: "symlink"; path: string; strict?: true; target: string }
  | { do: "chmod"; path: string; strict?: true; mode: number }
  | { do: "utimes"; path: string; strict?: true; mtimeMs: number }
  /** Puts the payload in the place of the packed extents `from`, which hold the same bytes. */
  | { do: "merge"; path: string; strict: true; from: string; payload: Payload };

/** Content of a commit; the bytes of its files are behind it in the same object. */
export interface CommitRecord {
  version: 1;
  /** Made by the writer, who knows by it whether an uncertain write was its own. */
  id: string;
  /** Milliseconds since the epoch, by the writer's clock: the time of what it changes. */
  atMs: number;
  operations: readonly TreeOperation[];
}

export function commitRecord(operations: readonly TreeOperation[]): CommitRecord {
  return { version: 1, id: crypto.randomUUID(), atMs: Date.now(), operations };
}

export interface ReadCommit {
  record: CommitRecord;
  /** Where the body begins in the object. */
  bodyStart: number;
}

const LENGTH_BYTES = 4;
const decoder = new TextDecoder();

/** The object of a commit: the record's length in four bytes, the record as JSON, the payloads. */
export function encodeCommit(
  record: CommitRecord,
  payloads: readonly Uint8Array[],
): { bytes: Uint8Array<ArrayBuffer>; bodyStart: number } {
  const json = new TextEncoder().encode(JSON.stringify(record));
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, json.length);
  return {
    bytes: concatBytes([length, json, ...payloads]),
    bodyStart: LENGTH_BYTES + json.length,
  };
}

/** Range of the object that holds the record, given its first bytes; `undefined` when these suffice. */
export function missingRange(start: Uint8Array): ByteRange | undefined {
  const end = bodyStartOf(start);
  return end > start.length ? { from: start.length, to: end } : undefined;
}

/** @throws {StoreFailure} `EIO` when it can't be read, or a newer version wrote it. */
export function decodeCommit(start: Uint8Array): ReadCommit {
  const bodyStart = bodyStartOf(start);
  let record: CommitRecord;
  try {
    record = JSON.parse(decoder.decode(start.subarray(LENGTH_BYTES, bodyStart)));
  } catch (cause) {
    throw unreadable(
      "A commit in the store can't be read: something else was put below the prefix.",
      cause,
    );
  }
  if (record.version !== 1) {
    throw unreadable("A newer version of @robota/files-s3 wrote these files: update this one.");
  }
  return { record, bodyStart };
}

function bodyStartOf(start: Uint8Array): number {
  if (start.length < LENGTH_BYTES) {
    throw unreadable("A commit in the store is cut off: something else was put below the prefix.");
  }
  return LENGTH_BYTES + new DataView(start.buffer, start.byteOffset, LENGTH_BYTES).getUint32(0);
}

function unreadable(hint: string, cause?: unknown): StoreFailure {
  return new StoreFailure("EIO", { hint, cause });
}
