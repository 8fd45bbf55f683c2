import { decodePlaced, type FoldedRecord, unlessDamaged } from "./codec.ts";

/** Bytes of records that become one text: as many texts take as long as all of their characters. */
const BATCH_BYTES = 16 * 1024;
const LINE_FEED = 10;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes records as they come, many at a time. */
export class RecordBatch {
  readonly #sessionId: string;
  readonly #decoded: (FoldedRecord | undefined)[] = [];
  #waiting: Uint8Array[] = [];
  #bytes = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** @throws {SessionError} `LOG_VERSION` for one of the records */
  add(record: Uint8Array): void {
    if (this.#bytes + record.length > BATCH_BYTES) this.#decode();
    this.#waiting.push(record);
    this.#bytes += record.length;
  }

  /** All records, in their order; `undefined` for damaged ones. Throws as `add`. */
  finish(): (FoldedRecord | undefined)[] {
    this.#decode();
    return this.#decoded;
  }

  #decode(): void {
    const texts = textsOf(this.#waiting, this.#bytes);
    for (const [index, bytes] of this.#waiting.entries()) {
      const text = texts?.[index];
      this.#decoded.push(unlessDamaged(() => decodePlaced(bytes, this.#sessionId, text)));
    }
    this.#waiting = [];
    this.#bytes = 0;
  }
}

/** The text of each record, decoded together; `undefined` when one of them is no line of UTF-8, or needs no company. */
function textsOf(records: readonly Uint8Array[], bytes: number): string[] | undefined {
  if (records.length < 2) return undefined;
  const lines = new Uint8Array(bytes + records.length);
  let end = 0;
  for (const record of records) {
    lines.set(record, end);
    end += record.length;
    lines[end++] = LINE_FEED;
  }
  try {
    const texts = decoder.decode(lines).split("\n");
    return texts.length === records.length + 1 ? texts : undefined;
  } catch {
    return undefined;
  }
}
