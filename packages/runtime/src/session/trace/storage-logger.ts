import { sha256 } from "../../digest.ts";
import { Redactor } from "../../messages/redactor.ts";
import type { Storage } from "../../ports/storage.ts";
import { StorageError } from "../../errors.ts";
import { LOG_ENTRY_FORMAT, type ExternalPayloadReference, type SessionLogData } from "./entry.ts";
import { lastHistorySequence } from "./last-history.ts";
import { LOG_DIRECTORY, logName, payloadKey, relativePayloadPath } from "./log-names.ts";
import type { SessionLogger } from "./logger.ts";

/** Maximum time until entries are durable. */
const FLUSH_INTERVAL_MS = 100;
/** Limit for a field inside an entry, in bytes of JSON; a larger one is stored beside the log. */
const INLINE_LIMIT = 32 * 1024;
/** Limit of waiting entries while the storage fails. Characters. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Maximum of bytes for a `char` of JSON. */
const MAX_BYTES = 3;

const encoder = new TextEncoder();

export interface StorageSessionLoggerOptions {
  /** The prefix of logs in the storage; `logs` when omitted. */
  directory?: string | undefined;
  /** Knows the program's own secrets. */
  redactor?: Redactor | undefined;
  /** Milliseconds since the epoch; the host's clock when omitted. */
  now?: (() => number) | undefined;
}

/** An entry in the queue: its fields as JSON, and the payloads to store beside the log. */
interface Waiting {
  head: string;
  fields: readonly [name: string, json: string][];
  size: number;
}

/** The unwritten entries of one log. */
interface Lines {
  entries: Waiting[];
  size: number;
  lost: number;
  /** Payloads known to be stored. */
  kept: Set<string>;
  head: string;
}

/**
 * Stores traces: the log `logs/{sessionId}` has one line of JSON per entry, written in batches, and large fields beside
 * it. On a host with files that is `logs/{sessionId}.jsonl`, readable with jq. Secrets are removed before anything is
 * written or hashed.
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

  /**
   * Writes the queue. @throws {StorageError} for unwritten entries, which are kept and tried again with the next flush
   */
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

  /**
   * Creates a separate log for a subagent, at `{directory}/{parentId}/subagents/{agentId}`, whatever its session id.
   */
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
    // Unwritten entries wait for the next entry, and for a caller of `flush` who can act on the failure.
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

  /** Stores a payload durably before any entry refers to it. */
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
 * A separate log for each subagent of a session: `{directory}/{parentId}/subagents/{agentId}`.
 * @throws {ValidationError} for an invalid id
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
