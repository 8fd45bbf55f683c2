import { sha256 } from "../../digest.ts";
import { Redactor } from "../../messages/redactor.ts";
import type { Storage } from "../../ports/storage.ts";
import { StorageError } from "../../errors.ts";
import { LOG_ENTRY_FORMAT, type ExternalPayloadReference, type SessionLogData } from "./entry.ts";
import { lastHistorySequence } from "./last-history.ts";
import { LOG_DIRECTORY, logName, payloadKey, relativePayloadPath } from "./log-names.ts";
import type { SessionLogger } from "./logger.ts";

/** Entries are durable after at most this time. */
const FLUSH_INTERVAL_MS = 100;
/** A field with more bytes of JSON is kept beside the log. */
const INLINE_LIMIT = 32 * 1024;
/** While the storage fails, this much waits for it. Characters. */
const MAX_WAITING = 16 * 1024 * 1024;
/** A `char` of JSON takes at most this many bytes. */
const MAX_BYTES = 3;

const encoder = new TextEncoder();

export interface StorageSessionLoggerOptions {
  /** The name that logs begin with in the storage; `logs` when omitted. */
  directory?: string | undefined;
  /** Knows what else is a secret. */
  redactor?: Redactor | undefined;
  /** Milliseconds since the epoch; the host's clock when omitted. */
  now?: (() => number) | undefined;
}

/** An entry as it waits: its fields as JSON, and what is to be kept beside the log. */
interface Waiting {
  head: string;
  fields: readonly [name: string, json: string][];
  size: number;
}

/** The entries of one log that are not written yet. */
interface Lines {
  entries: Waiting[];
  size: number;
  lost: number;
  /** Payloads that are known to be there. */
  kept: Set<string>;
  head: string;
}

/**
 * Keeps logs in a storage: the log `logs/{sessionId}` has one line of JSON an entry, written in batches, and large fields
 * stand beside it. On a host with files that is `logs/{sessionId}.jsonl`, readable with jq. Whatever is logged, secrets
 * are taken out before anything is written or hashed.
 */
export class StorageSessionLogger implements SessionLogger {
  readonly #storage: Storage;
  readonly #redactor: Redactor;
  readonly #directory: string;
  readonly #now: () => number;
  readonly #logs = new Map<string, Lines>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(storage: Storage, options: StorageSessionLoggerOptions = {}) {
    this.#storage = storage;
    this.#redactor = options.redactor ?? new Redactor();
    this.#directory = options.directory ?? LOG_DIRECTORY;
    this.#now = options.now ?? Date.now;
  }

  /** @throws {ValidationError} when `sessionId` is not a session id */
  log(sessionId: string, event: string, data: SessionLogData): void {
    this.#add(this.#nameOf(sessionId), sessionId, event, data);
  }

  /** @throws {StorageError} what could not be written is kept, and tried again with the next flush */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const writing = this.#writing.then(() => this.#writeAll());
    this.#writing = writing.catch(() => undefined);
    await writing;
  }

  async historyUpTo(sessionId: string): Promise<number | undefined> {
    await this.flush();
    return lastHistorySequence(this.#storage, this.#nameOf(sessionId));
  }

  /** A log of its own for a subagent, at `{directory}/{parentId}/subagents/{agentId}`, whatever session id it is given. */
  forSubagent(parentId: string, agentId: string): SessionLogger {
    const name = this.#nameOf(parentId, agentId);
    return {
      log: (sessionId, event, data) => this.#add(name, sessionId, event, data),
      flush: () => this.flush(),
      historyUpTo: async () => {
        await this.flush();
        return lastHistorySequence(this.#storage, name);
      },
    };
  }

  #nameOf(sessionId: string, agentId?: string): string {
    const directory = this.#directory;
    return logName(sessionId, agentId === undefined ? { directory } : { directory, agentId });
  }

  #add(name: string, sessionId: string, event: string, data: SessionLogData): void {
    const lines = this.#logs.get(name) ?? {
      entries: [],
      size: 0,
      lost: 0,
      kept: new Set(),
      head: "",
    };
    this.#logs.set(name, lines);
    this.#timer ??= setTimeout(() => this.#flushInBackground(), FLUSH_INTERVAL_MS);
    lines.head = this.#headOf(sessionId);
    const fields = fieldsOf(this.#redactor.value(data));
    const size = fields.reduce((sum, [, json]) => sum + json.length, event.length);
    if (lines.size + size > MAX_WAITING) {
      lines.lost += 1;
      return;
    }
    const head = `${lines.head}"event":${JSON.stringify(event)},`;
    lines.entries.push({ head, fields, size });
    lines.size += size;
  }

  #headOf(sessionId: string): string {
    const timestamp = new Date(this.#now()).toISOString();
    const head = { v: LOG_ENTRY_FORMAT, timestamp, sessionId };
    return `${JSON.stringify(head).slice(0, -1)},`;
  }

  #flushInBackground(): void {
    // What could not be written waits for the next entry, and for whoever flushes and can act on it.
    this.flush().catch(() => undefined);
  }

  async #writeAll(): Promise<void> {
    for (const [name, lines] of this.#logs) {
      if (lines.entries.length > 0) await this.#write(name, lines);
    }
  }

  async #write(name: string, lines: Lines): Promise<void> {
    const entries = [...lines.entries];
    const { lost } = lines;
    const written: string[] = [];
    for (const entry of entries) written.push(await this.#lineOf(name, lines, entry));
    if (lost > 0) {
      const message = `${lost} entries found no room while the storage failed`;
      const data = JSON.stringify({ code: "LOG_LOST", message, count: lost });
      written.push(`${lines.head}"event":"error","data":${data}}`);
    }
    await this.#storage.append(
      name,
      written.map((line) => encoder.encode(line)),
    );
    lines.entries.splice(0, entries.length);
    lines.size -= entries.reduce((sum, { size }) => sum + size, 0);
    lines.lost -= lost;
  }

  async #lineOf(name: string, lines: Lines, { head, fields }: Waiting): Promise<string> {
    const parts: string[] = [];
    for (const [field, json] of fields) {
      const bytes = json.length * MAX_BYTES > INLINE_LIMIT ? encoder.encode(json) : undefined;
      const isInline = !bytes || bytes.length <= INLINE_LIMIT;
      const value = isInline ? json : JSON.stringify(await this.#keep(name, lines, bytes));
      parts.push(`${JSON.stringify(field)}:${value}`);
    }
    return `${head}"data":{${parts.join(",")}}}`;
  }

  /** The payload is durable before anything refers to it. */
  async #keep(name: string, { kept }: Lines, bytes: Uint8Array): Promise<ExternalPayloadReference> {
    const hash = await sha256(bytes);
    if (!kept.has(hash)) {
      try {
        await this.#storage.set(payloadKey(name, hash), bytes, { ifMatch: null });
      } catch (error) {
        const isThere = error instanceof StorageError && error.code === "CONFLICT";
        if (!isThere) throw error;
      }
      kept.add(hash);
    }
    return {
      kind: "external-payload",
      encoding: "json",
      sha256: hash,
      byteLength: bytes.length,
      relativePath: relativePayloadPath(name, hash),
    };
  }
}

/**
 * A log of its own for each subagent of a session: `{directory}/{parentId}/subagents/{agentId}`.
 * @throws {ValidationError} for an id that is none
 */
export function createSubagentLogger(
  parentId: string,
  agentId: string,
  base: StorageSessionLogger,
): SessionLogger {
  return base.forSubagent(parentId, agentId);
}

function fieldsOf(data: unknown): [name: string, json: string][] {
  return Object.entries(data ?? {}).flatMap(([name, value]) => {
    const json: string | undefined = JSON.stringify(value);
    return json === undefined ? [] : [[name, json] satisfies [string, string]];
  });
}
