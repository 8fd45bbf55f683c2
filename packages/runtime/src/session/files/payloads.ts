import { sha256 } from "../../digest.ts";
import type { Storage } from "../../ports/storage.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Each content is preceded by its hash in hex and a line feed. */
const HEAD_LENGTH = 65;

/** Name of the log of contents that a session's events refer to. */
export function payloadsKey(sessionId: string): string {
  return `payloads/${sessionId}`;
}

/** Storage of payloads: persistent, or in memory with the session object. */
export type PayloadStorage = Pick<Storage, "append" | "read">;

/** Hashes of stored contents, if there are any. */
export interface KnownPayloads {
  payloads: Set<string> | undefined;
}

/** Contents of a session, each once, kept beside its log; its events refer to them by their SHA-256 in hex. */
export class Payloads {
  readonly #storage: PayloadStorage;
  readonly #name: string;
  readonly #known: KnownPayloads;

  /** `known`: hashes that the session's events declare stored; appended to. */
  constructor(storage: PayloadStorage, sessionId: string, known: KnownPayloads) {
    this.#storage = storage;
    this.#name = payloadsKey(sessionId);
    this.#known = known;
  }

  /** Keeps contents, in one write, and resolves to their hashes when they are durable. */
  async put(contents: readonly Uint8Array[]): Promise<string[]> {
    const hashes = await Promise.all(contents.map((content) => sha256(content)));
    const added = new Map<string, Uint8Array>();
    for (const [index, hash] of hashes.entries()) {
      if (!this.#known.payloads?.has(hash)) added.set(hash, contents[index] as Uint8Array);
    }
    if (added.size > 0) {
      const entries = [...added].map(([hash, content]) => encode(hash, content));
      await this.#storage.append(this.#name, entries);
      for (const hash of added.keys()) (this.#known.payloads ??= new Set()).add(hash);
    }
    return hashes;
  }

  /** The contents that are there and unharmed, by their hashes. */
  async get(hashes: Iterable<string>): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    for await (const [hash, content] of this.each(hashes)) found.set(hash, content);
    return found;
  }

  /** The same one after the other, in no order. */
  async *each(hashes: Iterable<string>): AsyncGenerator<[hash: string, content: Uint8Array]> {
    const wanted = new Set(hashes);
    if (wanted.size === 0) return;
    for await (const { value } of this.#storage.read(this.#name)) {
      const hash = decoder.decode(value.subarray(0, HEAD_LENGTH - 1));
      if (!wanted.has(hash)) continue;
      const content = value.slice(HEAD_LENGTH);
      if ((await sha256(content)) !== hash) continue;
      wanted.delete(hash);
      yield [hash, content];
      if (wanted.size === 0) return;
    }
  }
}

function encode(hash: string, content: Uint8Array): Uint8Array {
  const entry = new Uint8Array(HEAD_LENGTH + content.length);
  entry.set(encoder.encode(`${hash}\n`));
  entry.set(content, HEAD_LENGTH);
  return entry;
}

/** Payloads of sessions without storage. */
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
