import { closeSync, constants, fstatSync, ftruncateSync, openSync, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { LogEntry } from "@robota/runtime/ports";
import { appendWhole, openIfThere, openToAppend } from "../files/append.ts";
import { statIfThere } from "../files/at-once.ts";
import { removeIfThere } from "../files/durable.ts";
import { syncNames } from "./directories.ts";
import { decodeLine, encodeBatch, readLines } from "./log-lines.ts";
import type { Marks } from "./marks.ts";
import { exclusively, untilLeft } from "./mutex.ts";

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY } = constants;
const PRIVATE = 0o600;

/** End of the last complete batch of a file. */
interface End {
  offset: number;
  /** The number of entries up to there. */
  seq: number;
}

interface KnownEnd {
  /** Identity of the file. */
  file: string;
  end: End;
}

interface WaitingBatch {
  lines: Buffer;
  count: number;
  mayWrite: () => void;
  resolve: (seq: number) => void;
  reject: (error: unknown) => void;
}

/** One log: a file of lines, with this process's knowledge of it. */
export class LogFile {
  readonly file: string;
  readonly #marks: () => Promise<Marks>;
  /** The end of the file as this process left it; others may have appended since. */
  #known: KnownEnd | undefined;
  /** Position up to which it was read: followers continue there. */
  #read: KnownEnd | undefined;
  #waiting: WaitingBatch[] = [];
  #writing: Promise<void> | undefined;

  constructor(file: string, marks: () => Promise<Marks>) {
    this.file = file;
    this.#marks = marks;
  }

  /**
   * Appends all entries or none. Batches that wait for the disk are written and flushed together. `mayWrite` throws
   * when another holder writes this log now: it is called when nobody else can begin to, before the entries are written
   * and again afterwards.
   */
  append(entries: readonly Uint8Array[], mayWrite: () => void): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    // Encoded at once, so that the caller can go on with its buffers.
    const lines = encodeBatch(entries);
    this.#waiting.push({ lines, count: entries.length, mayWrite, resolve, reject });
    this.#writing ??= this.#writeWaiting();
    return promise;
  }

  /** The size of the file at the time of the call; later appends, even in the same turn, lie behind it. */
  size(): number {
    return statIfThere(this.file)?.size ?? 0;
  }

  /** The entries numbered `from` or higher that are in the first `size` bytes, as many at a time as come in one read. */
  async *pages(from: number, size: number): AsyncGenerator<LogEntry[], void> {
    // A reader polling for missing entries must not starve their writer.
    if (size === 0) return setImmediate();
    const handle = await openIfThere(this.file, O_RDONLY);
    if (!handle) return;
    try {
      const file = identityOf(await handle.stat());
      let { offset, seq } = this.#endBefore(from, size, file);
      let batch: Buffer[] = [];
      for await (const lines of readLines(handle, offset, size)) {
        const page: LogEntry[] = [];
        for (const { bytes, end, endsBatch } of lines) {
          batch.push(bytes);
          if (!endsBatch) continue;
          for (const line of batch) {
            seq++;
            if (seq >= from) page.push({ seq, value: decodeLine(line) });
          }
          offset = end;
          batch = [];
        }
        if (page.length > 0) yield page;
      }
      this.#read = { file, end: { offset, seq } };
    } finally {
      await handle.close();
    }
  }

  /** The last place that is known to come before the entry numbered `from`. */
  #endBefore(from: number, size: number, file: string): End {
    let last: End = { offset: 0, seq: 0 };
    for (const known of [this.#read, this.#known]) {
      if (known?.file !== file) continue;
      const { end } = known;
      if (end.seq < from && end.offset <= size && end.offset > last.offset) last = end;
    }
    return last;
  }

  /** Deletes the log and the fragments set aside from it. `mayWrite` as for `append`. */
  async delete(mayWrite: () => void): Promise<void> {
    await this.idle();
    if (!statIfThere(this.file)) return;
    await exclusively(this.#lock, await this.#marks(), async () => {
      mayWrite();
      await removeIfThere(this.file);
      await removeIfThere(this.#damaged);
    });
    await syncNames(dirname(this.file));
  }

  /** Resolves when no append waits any more. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  /**
   * Resolves when writers active at the time of the call, here or in another process, are done. @throws {StorageError}
   * `IO`
   */
  async untilWritten(): Promise<void> {
    await untilLeft(this.#lock, await this.#marks());
  }

  get #lock(): string {
    return `${this.file}~lock`;
  }

  get #damaged(): string {
    return `${this.file}.damaged`;
  }

  async #writeWaiting(): Promise<void> {
    // Appends in the same turn of the event loop form one batch from the first.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batches = this.#waiting.splice(0);
      try {
        await this.#settle(batches);
      } catch (error) {
        for (const { reject } of batches) reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #settle(batches: readonly WaitingBatch[]): Promise<void> {
    if (batches.every(({ count }) => count === 0)) {
      const seq = await this.#lastSeq();
      for (const { resolve } of batches) resolve(seq);
      return;
    }
    await exclusively(this.#lock, await this.#marks(), async () => {
      const allowed = batches.filter(isAllowed);
      if (allowed.length === 0) return;
      let seq = await this.#write(allowed);
      for (const batch of allowed) {
        seq += batch.count;
        if (isAllowed(batch)) batch.resolve(seq);
      }
    });
  }

  /** Resolves to the number of the last entry before `batches`. To be called inside the lock. */
  async #write(batches: readonly WaitingBatch[]): Promise<number> {
    const count = batches.reduce((total, batch) => total + batch.count, 0);
    const lines = Buffer.concat(batches.map((batch) => batch.lines));
    const fd = openSync(this.file, O_WRONLY | O_APPEND | O_CREAT, PRIVATE);
    try {
      const stats = fstatSync(fd);
      const end = await this.#findEnd(stats);
      this.#known = undefined;
      if (stats.size > end.offset) await this.#setAside(fd, end.offset, stats.size);
      await appendWhole(fd, lines, end.offset);
      // The file may be new, or its maker may have been killed before the name was durable.
      if (end.offset === 0) await syncNames(dirname(this.file));
      const next = { offset: end.offset + lines.length, seq: end.seq + count };
      this.#known = { file: identityOf(stats), end: next };
      return end.seq;
    } finally {
      closeSync(fd);
    }
  }

  async #lastSeq(): Promise<number> {
    const stats = statIfThere(this.file);
    return stats ? (await this.#findEnd(stats)).seq : 0;
  }

  /** Reads only what others appended since the last read. */
  async #findEnd(stats: Stats): Promise<End> {
    const known = this.#known;
    const isSame = known?.file === identityOf(stats) && known.end.offset <= stats.size;
    const end = isSame ? { ...known.end } : { offset: 0, seq: 0 };
    if (end.offset === stats.size) return end;
    await using handle = await openIfThere(this.file, O_RDONLY);
    if (!handle) return end;
    let unconfirmed = 0;
    for await (const lines of readLines(handle, end.offset, stats.size)) {
      for (const line of lines) {
        unconfirmed++;
        if (!line.endsBatch) continue;
        end.seq += unconfirmed;
        end.offset = line.end;
        unconfirmed = 0;
      }
    }
    return end;
  }

  /** Preserves the torn tail of a killed writer in another file: the next batch starts on its own line. */
  async #setAside(fd: number, start: number, end: number): Promise<void> {
    await using from = await openIfThere(this.file, O_RDONLY);
    if (!from) return;
    await using aside = (await openToAppend(this.#damaged, O_WRONLY, PRIVATE)).handle;
    await copyRange(from, start, end, aside);
    await aside.writeFile("\n");
    await aside.sync();
    await syncNames(dirname(this.file));
    ftruncateSync(fd, start);
  }
}

/** Reports whether a batch may be written or acknowledged; rejects it otherwise. An empty one needs no permission. */
function isAllowed({ count, mayWrite, reject }: WaitingBatch): boolean {
  try {
    if (count > 0) mayWrite();
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}

/** A later file of the same name can get the same inode; hardly at the same moment. */
function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}.${ino}.${birthtimeMs}`;
}

async function copyRange(
  from: FileHandle,
  start: number,
  end: number,
  to: FileHandle,
): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024);
  for (let position = start; position < end;) {
    const length = Math.min(chunk.length, end - position);
    const { bytesRead } = await from.read(chunk, 0, length, position);
    if (bytesRead === 0) return;
    await to.writeFile(chunk.subarray(0, bytesRead));
    position += bytesRead;
  }
}
