import { defined } from "../../defined.ts";
import { FileSystemError } from "../../errors.ts";
import { Redactor } from "../../messages/redactor.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { dirname, isWithin, relativePath, resolvePath } from "../../ports/path.ts";
import type { Storage } from "../../ports/storage.ts";
import { createPacer } from "../../tools/files/pacer.ts";
import { toBase64 } from "../../tools/files/text-file.ts";
import { walkFiles } from "../../tools/files/walk.ts";
import { type ReadRecord, readRecord, unlessDamaged } from "../log/codec.ts";
import { SESSION_FORMAT } from "../log/events.ts";
import { Payloads } from "../files/payloads.ts";
import { unlessMissing } from "../files/versions.ts";
import {
  DATA_BYTES,
  MAX_TRANSFERRED,
  type LeftOut,
  TRANSFER_FORMAT,
  TRANSFER_VERSION,
  type TransferEnd,
  type TransferHeader,
  type TransferredFile,
  type TransferredFiles,
} from "./format.ts";
import { joined } from "./lines.ts";
import { type Outline, readOutline } from "./outline.ts";
import { SafeEvents } from "./safe-events.ts";
import { sessionKey } from "../store/storage-keys.ts";
import { requireSessionId } from "../session-id.ts";

export interface ExportOptions {
  /**
   * The files to include: those that the session has changed, the whole working directory except for files ignored by
   * git, or none. `changed` when omitted, and `none` without readable files.
   */
  files?: TransferredFiles | undefined;
  /** Leaves files out, by their paths in the working directory: they are named as unreadable. None when omitted. */
  leavesOut?: ((path: string) => boolean) | undefined;
  /** Includes grants that outlast one call; omitted by default. */
  grants?: boolean | undefined;
  /** Secrets to remove besides recognizable ones. */
  secrets?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/** The location of a session: a platform, a `SessionStore`, or a storage alone. */
export type ExportSource = Storage | { readonly storage: Storage; readonly fs?: FileSystem };

const encoder = new TextEncoder();
const EVENT_START = encoder.encode('{"event":');
/** The closing braces of a record's JSON and of its line. */
const EVENT_END = encoder.encode("}}\n");
/** Minimum size of a chunk. */
const PIECE_BYTES = 64 * 1024;

/** Implements `exportSession`. */
export function exportStored(
  source: ExportSource,
  sessionId: string,
  options: ExportOptions = {},
): ReadableStream<Uint8Array> {
  requireSessionId(sessionId);
  const parts = "storage" in source ? source : { storage: source };
  return streamOf(sealed(linesOf(parts, sessionId, options)));
}

async function* linesOf(
  { storage, fs }: { storage: Storage; fs?: FileSystem },
  sessionId: string,
  options: ExportOptions,
): AsyncGenerator<Line> {
  const { grants = false, secrets = [] } = options;
  const redactor = new Redactor(secrets);
  const outline = await readOutline(storage, sessionId, redactor);
  const files = fs ? (options.files ?? "changed") : "none";
  yield headerOf(sessionId, outline, { files, grants, redactor });

  const safe = new SafeEvents(redactor, grants);
  for await (const { seq: place, value } of storage.read(sessionKey(sessionId))) {
    if (outline.foreign.has(place)) continue;
    const record = unlessDamaged(() => readRecord(value));
    if (record) yield* safe.take(record).map(eventLine);
  }
  yield* safe.end().map(eventLine);
  for (const toolCallId of safe.withheldCalls) yield leftOut({ toolCallId, reason: "secret" });
  for (let record = 0; record < outline.damagedRecords; record++)
    yield leftOut({ reason: "damaged" });

  const payloads = new Payloads(storage, sessionId, { payloads: undefined });
  const missing = new Set(outline.payloads);
  for await (const [sha256, content] of payloads.each(outline.payloads)) {
    missing.delete(sha256);
    if (holdsSecret(content, redactor)) yield leftOut({ sha256, reason: "secret" });
    else yield* withData("payload", { sha256, size: content.length }, content);
  }
  for (const sha256 of missing) yield leftOut({ sha256, reason: "damaged" });
  if (fs && files !== "none")
    yield* fileLines(await viewOf(fs, storage, sessionId, outline), {
      outline,
      files,
      redactor,
      options,
    });
}

function headerOf(
  id: string,
  { cwd, name, provider, model, createdAt, updatedAt }: Outline,
  { files, grants, redactor }: Pick<TransferHeader, "files" | "grants"> & { redactor: Redactor },
): TransferHeader {
  return {
    format: TRANSFER_FORMAT,
    version: TRANSFER_VERSION,
    events: SESSION_FORMAT,
    session: defined({
      id,
      cwd: redactor.text(cwd),
      name: name === undefined ? undefined : redactor.text(name),
      provider: redactor.text(provider),
      model: redactor.text(model),
      createdAt: new Date(createdAt).toISOString(),
      updatedAt: new Date(updatedAt).toISOString(),
    }),
    files,
    grants,
  };
}

/** The session's own view of the files, if it has one. */
async function viewOf(
  fs: FileSystem,
  storage: Storage,
  sessionId: string,
  { hasOwnFiles }: Outline,
): Promise<FileSystem> {
  if (!hasOwnFiles) return fs;
  const { DurableOverlay } = await import("../files/durable-overlay.ts");
  return DurableOverlay.load(fs, storage, sessionId);
}

async function* fileLines(
  fs: FileSystem,
  {
    outline: { cwd, changed, outside },
    files,
    redactor,
    options,
  }: { outline: Outline; files: TransferredFiles; redactor: Redactor; options: ExportOptions },
): AsyncGenerator<object> {
  const signal = options.signal ?? new AbortController().signal;
  for (const path of outside) yield leftOut({ path, reason: "outside" });
  // Lists a directory before its contents.
  for (const path of [...changed].sort()) yield* fileLine(fs, path, { cwd, redactor, options });
  if (files === "changed") return;
  for await (const { path } of walkFiles(fs, cwd, { cwd, pace: createPacer(signal) }))
    if (!changed.has(path)) yield* fileLine(fs, path, { cwd, redactor, options });
}

async function* fileLine(
  fs: FileSystem,
  absolute: string,
  { cwd, redactor, options }: { cwd: string; redactor: Redactor; options: ExportOptions },
): AsyncGenerator<object> {
  const path = relativePath(cwd, absolute);
  if (options.leavesOut?.(path)) {
    yield leftOut({ path, reason: "unreadable" });
    return;
  }
  try {
    const stat = await unlessMissing(fs.lstat(absolute));
    if (!stat) {
      yield { file: { path, type: "none" } satisfies TransferredFile };
      return;
    }
    const { type, mode, mtimeMs, size } = stat;
    if (type === "directory") {
      yield { file: { path, type, mode } satisfies TransferredFile };
    } else if (type === "symlink") {
      const target = relativeTarget(absolute, await fs.readlink(absolute), cwd);
      if (target === undefined) yield leftOut({ path, reason: "outside" });
      else yield { file: { path, type, target } satisfies TransferredFile };
    } else if (size > MAX_TRANSFERRED) {
      yield leftOut({ path, reason: "too-large" });
    } else {
      const content = await fs.readFile(absolute);
      if (holdsSecret(content, redactor)) yield leftOut({ path, reason: "secret" });
      else yield* withData("file", { path, type, mode, mtimeMs, size: content.length }, content);
    }
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    yield leftOut({ path, reason: "unreadable" });
  }
}

/** The target of a link, relative to its location; `undefined` for one outside of the workspace. */
function relativeTarget(link: string, target: string, cwd: string): string | undefined {
  const place = dirname(link);
  if (!isWithin(cwd, resolvePath(place, target))) return undefined;
  if (!target.startsWith("/")) return target;
  const up = relativePath(cwd, place)
    .split("/")
    .filter((segment) => segment !== ".");
  return [...up.map(() => ".."), relativePath(cwd, resolvePath("/", target))].join("/");
}

function holdsSecret(content: Uint8Array, redactor: Redactor): boolean {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    // Invalid UTF-8 is not text.
    return false;
  }
  return redactor.text(text) !== text;
}

function leftOut(what: LeftOut): object {
  return { leftOut: what };
}

function* withData(
  name: "payload" | "file",
  facts: object,
  content: Uint8Array,
): Generator<object> {
  yield { [name]: facts, data: toBase64(content.subarray(0, DATA_BYTES)) };
  for (let start = DATA_BYTES; start < content.length; start += DATA_BYTES)
    yield { data: toBase64(content.subarray(start, start + DATA_BYTES)) };
}

/** A line, or its bytes with their line feed. */
type Line = object | Uint8Array;

/** Copies an unchanged record as stored: serialising it again would cost more than everything else. */
function eventLine({ fields, json }: ReadRecord): Line {
  if (!json) return { event: fields };
  return joined(
    [EVENT_START, json, EVENT_END],
    EVENT_START.length + json.length + EVENT_END.length,
  );
}

/** Yields lines as bytes, and after them the end line, which proves completeness. */
async function* sealed(lines: AsyncIterable<Line>): AsyncGenerator<Uint8Array> {
  const { sha256 } = await import("@noble/hashes/sha2.js");
  const hash = sha256.create();
  let count = 0;
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const line of lines) {
    const bytes = line instanceof Uint8Array ? line : lineOf(line);
    count += 1;
    waiting.push(bytes);
    length += bytes.length;
    // Yields the first line at once, for readers of the header alone.
    if (count > 1 && length < PIECE_BYTES) continue;
    const piece = joined(waiting, length);
    [waiting, length] = [[], 0];
    hash.update(piece);
    yield piece;
  }
  const rest = joined(waiting, length);
  hash.update(rest);
  const end: TransferEnd = { lines: count, sha256: hex(hash.digest()) };
  yield rest;
  yield lineOf({ end });
}

function lineOf(line: object): Uint8Array {
  return encoder.encode(`${JSON.stringify(line)}\n`);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A stream that reads the next piece only on demand. */
function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
