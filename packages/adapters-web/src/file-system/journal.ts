import type { FileOperation } from "./operation.ts";

/** Operations applied at one moment, in order. */
export interface JournalRecord {
  /** Revision of the database: records up to it must not be applied again. */
  revision: number;
  /** Milliseconds since the epoch. */
  now: number;
  operations: readonly FileOperation[];
}

/** Header of each record: the length of the rest, its checksum, and the length of the JSON. */
const HEAD = 12;
const CHECKED_FROM = 8;
const PATIENCE_MS = 5_000;
const MAX_BYTES = 1024 * 1024;
const NOTHING = new Uint8Array();

/**
 * As text, because not every bundler finds a worker in its own file. Where a page's policy forbids blob workers, files
 * are written without a journal.
 */
const WORKER = `
let handle;
onmessage = async ({ data: { name, bytes, at } }) => {
  try {
    if (name) {
      const directory = await navigator.storage.getDirectory();
      const file = await directory.getFileHandle(name, { create: true });
      handle = await file.createSyncAccessHandle();
    } else {
      if (at === 0) handle.truncate(0);
      if (handle.write(bytes, { at }) !== bytes.length) throw new Error("No more room");
    }
    postMessage({ isDone: true });
  } catch {
    postMessage({ isDone: false });
  }
};`;

/**
 * Operations on a workspace that are not in its database yet, in a file of the origin's private file system: appending
 * to it takes a sixth of the time of a transaction, and survives the death of the tab and of the browser as well.
 */
export class Journal {
  readonly #worker: Worker;
  #end = 0;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /**
   * `undefined` without a private file system or a worker for it. Restarts with the first record.
   * @param name as `journalName` gives it
   */
  static async open(name: string): Promise<Journal | undefined> {
    const url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    try {
      const worker = new Worker(url);
      const isOpen = await ask(worker, { name });
      if (isOpen) return new Journal(worker);
      worker.terminate();
    } catch {
      // Forbidden, by the browser or by the page's policy.
    } finally {
      URL.revokeObjectURL(url);
    }
    return undefined;
  }

  /** Bytes of the records that are known to be stored. */
  get end(): number {
    return this.#end;
  }

  /** True when the next record restarts the journal. */
  get isClear(): boolean {
    return this.#end === 0;
  }

  get isFull(): boolean {
    return this.#end >= MAX_BYTES;
  }

  /** Resolves to whether the record is stored; a failed journal must be closed. One at a time. */
  async append(record: JournalRecord): Promise<boolean> {
    const bytes = bytesOf(record);
    const { length } = bytes;
    const isStored = await ask(this.#worker, { bytes, at: this.#end }, [bytes.buffer]);
    if (isStored) this.#end += length;
    return isStored;
  }

  /** Discards the content: all of it is in the database. */
  clear(): void {
    this.#end = 0;
  }

  /** Empties the journal when none of its entries is needed for recovery. */
  async empty(): Promise<void> {
    if (this.isClear) await ask(this.#worker, { bytes: NOTHING, at: 0 });
  }

  close(): void {
    this.#worker.terminate();
  }
}

/** The records that are whole, up to the first that is not, or that is of another revision. */
export function recordsOf(bytes: Uint8Array): JournalRecord[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: JournalRecord[] = [];
  for (let at = 0; at + HEAD <= bytes.length;) {
    const end = at + HEAD + view.getUint32(at);
    if (end > bytes.length || checksum(bytes, at + CHECKED_FROM, end) !== view.getUint32(at + 4))
      break;
    const textEnd = at + HEAD + view.getUint32(at + 8);
    const record = fromText(bytes.subarray(at + HEAD, textEnd), bytes.subarray(textEnd, end));
    if (record.revision !== (records[0] ?? record).revision) break;
    records.push(record);
    at = end;
  }
  return records;
}

type WithBytes = Extract<FileOperation, { data: Uint8Array }>;
type Counted<Each> = Each extends unknown ? Omit<Each, "data"> & { data: number } : never;
/** The JSON form: bytes are replaced by their number. */
type Line = Exclude<FileOperation, WithBytes> | Counted<WithBytes>;

export function bytesOf({ revision, now, operations }: JournalRecord): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const lines = operations.map((each): Line => {
    if (each.type !== "write" && each.type !== "append") return each;
    parts.push(each.data);
    return { ...each, data: each.data.length };
  });
  const text = new TextEncoder().encode(JSON.stringify({ revision, now, lines }));
  const length = parts.reduce((sum, part) => sum + part.length, text.length);
  const bytes = new Uint8Array(HEAD + length);
  bytes.set(text, HEAD);
  let at = HEAD + text.length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  view.setUint32(8, text.length);
  view.setUint32(4, checksum(bytes, CHECKED_FROM, bytes.length));
  return bytes;
}

function fromText(text: Uint8Array, bytes: Uint8Array): JournalRecord {
  const { revision, now, lines }: { revision: number; now: number; lines: Line[] } = JSON.parse(
    new TextDecoder().decode(text),
  );
  let at = 0;
  const operations = lines.map((each): FileOperation => {
    if (each.type !== "write" && each.type !== "append") return each;
    at += each.data;
    return { ...each, data: bytes.slice(at - each.data, at) };
  });
  return { revision, now, operations };
}

/** FNV-1a: detects a torn record, and remains of an earlier journal. */
function checksum(bytes: Uint8Array, start: number, end: number): number {
  let sum = 0x811c9dc5;
  for (let at = start; at < end; at++) sum = Math.imul(sum ^ (bytes[at] ?? 0), 0x01000193);
  return sum >>> 0;
}

/** Resolves to whether the worker succeeded; also `false` when it can't start, or does not answer. */
function ask(worker: Worker, message: object, transfer: Transferable[] = []): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS, false);
    const answer = (isDone: boolean): void => {
      clearTimeout(timer);
      resolve(isDone);
    };
    worker.onmessage = ({ data }: MessageEvent<{ isDone: boolean }>) => answer(data.isDone);
    worker.onerror = (event) => {
      event.preventDefault();
      answer(false);
    };
    worker.postMessage(message, transfer);
  });
}
