import { sha256 } from "../../digest.ts";
import type { Storage } from "../../ports/storage.ts";

/** Where a content is kept. */
export interface PayloadReference {
  /** Hex. */
  sha256: string;
  /** Its entry in the log of payloads, from 1. */
  place: number;
}

/** The name of the log that keeps what a session's events refer to. */
export function payloadsKey(sessionId: string): string {
  return `payloads/${sessionId}`;
}

/** Where payloads are kept: a storage, or what lasts as long as the session object. */
export type PayloadStorage = Pick<Storage, "append" | "read">;

/** Contents of a session, each once, kept beside its log and referred to by its events. */
export class Payloads {
  readonly #storage: PayloadStorage;
  readonly #name: string;
  /** By hash: where a content is. */
  readonly #places: Map<string, number>;

  /** `places`: what the session's events say is kept already; added to. */
  constructor(storage: PayloadStorage, sessionId: string, places: Map<string, number>) {
    this.#storage = storage;
    this.#name = payloadsKey(sessionId);
    this.#places = places;
  }

  /** Keeps contents, in one write; resolves when they are durable. */
  async put(contents: readonly Uint8Array[]): Promise<PayloadReference[]> {
    const hashes = await Promise.all(contents.map((content) => sha256(content)));
    const isNew = (hash: string, index: number): boolean =>
      !this.#places.has(hash) && hashes.indexOf(hash) === index;
    const added = [...hashes.entries()].filter(([index, hash]) => isNew(hash, index));
    if (added.length > 0) {
      const bytes = added.map(([index]) => contents[index] as Uint8Array);
      const last = await this.#storage.append(this.#name, bytes);
      for (const [position, [, hash]] of added.entries()) {
        this.#places.set(hash, last - added.length + 1 + position);
      }
    }
    return hashes.map((hash) => ({ sha256: hash, place: this.#places.get(hash) as number }));
  }

  /** The contents at these places that are there and unharmed, by place. */
  async get(references: readonly PayloadReference[]): Promise<Map<number, Uint8Array>> {
    const wanted = new Map(references.map((reference) => [reference.place, reference.sha256]));
    const found = new Map<number, Uint8Array>();
    if (wanted.size === 0) return found;
    const last = Math.max(...wanted.keys());
    for await (const { seq, value } of this.#storage.read(this.#name, Math.min(...wanted.keys()))) {
      const hash = wanted.get(seq);
      if (hash !== undefined && (await sha256(value)) === hash) found.set(seq, value);
      if (seq >= last) break;
    }
    return found;
  }
}

/** For sessions that are kept nowhere. */
export function payloadsInMemory(): PayloadStorage {
  const entries: Uint8Array[] = [];
  return {
    append: async (_log, values) => entries.push(...values),
    async *read(_log, from = 1) {
      for (const [index, value] of entries.slice(from - 1).entries())
        yield { seq: from + index, value };
    },
  };
}
