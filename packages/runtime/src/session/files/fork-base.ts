import type { Storage } from "../../ports/storage.ts";
import { decodeRecord, unlessDamaged } from "../log/codec.ts";
import { sessionKey } from "../log/log.ts";
import { overlayKey } from "./overlay-key.ts";
import type { FileBefore } from "./past-version.ts";

/** The session whose changes a fork must not see, and how many records its log had when they parted. */
export interface ForkBase {
  sessionId: string;
  records: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Beside the files of the fork. */
export async function saveForkBase(storage: Storage, fork: string, base: ForkBase): Promise<void> {
  await storage.set(overlayKey(fork), encoder.encode(JSON.stringify(base)));
}

/** `undefined` when there is none. */
export async function readForkBase(storage: Storage, fork: string): Promise<ForkBase | undefined> {
  const bytes = await storage.get(overlayKey(fork));
  return bytes && (JSON.parse(decoder.decode(bytes)) as ForkBase);
}

/**
 * What the session that was forked changes in the files that both see. It takes down each file in its log before it changes
 * it, so its log says what the fork must keep.
 */
export class BaseChanges {
  readonly #storage: Storage;
  readonly #log: string;
  readonly #sessionId: string;
  #seen: number;

  constructor(storage: Storage, { sessionId, records }: ForkBase) {
    this.#storage = storage;
    this.#sessionId = sessionId;
    this.#log = sessionKey(sessionId);
    this.#seen = records;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** How files were that were changed since the last call; the first of several changes of a file counts. */
  async next(): Promise<FileBefore[]> {
    // Asks for the number of the last record and writes nothing.
    if ((await this.#storage.append(this.#log, [])) <= this.#seen) return [];
    const files = new Map<string, FileBefore>();
    for await (const { seq, value } of this.#storage.read(this.#log, this.#seen + 1)) {
      this.#seen = seq;
      for (const event of unlessDamaged(() => decodeRecord(value, this.#sessionId)) ?? []) {
        if (event.type !== "files_before") continue;
        for (const file of event.files) if (!files.has(file.path)) files.set(file.path, file);
      }
    }
    return [...files.values()];
  }
}
