import type { Storage } from "../../ports/storage.ts";
import { decodeRecord, unlessDamaged } from "../log/codec.ts";
import type { FileBefore } from "./past-version.ts";
import { overlayKey, sessionKey } from "../store/storage-keys.ts";

/** The session whose changes a fork must not see, and how many records its log had when they parted. */
export interface ForkBase {
  sessionId: string;
  records: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Stores the base beside the files of the fork. */
export async function saveForkBase(storage: Storage, fork: string, base: ForkBase): Promise<void> {
  await storage.set(overlayKey(fork), encoder.encode(JSON.stringify(base)));
}

/** `undefined` without one. */
export async function readForkBase(storage: Storage, fork: string): Promise<ForkBase | undefined> {
  const bytes = await storage.get(overlayKey(fork));
  return bytes && (JSON.parse(decoder.decode(bytes)) as ForkBase);
}

/**
 * The original session's changes in the shared files. It records each file in its log before changing it, so its log
 * tells the fork which versions to preserve.
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

  /** Previous versions of files changed since the last call; the first of several changes of a file counts. */
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
