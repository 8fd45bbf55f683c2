import { defined } from "../../defined.ts";
import type { Storage } from "../../ports/storage.ts";
import { eventsOf, type StoredFields } from "../log/codec.ts";
import { SESSION_FORMAT, type SessionEvent } from "../log/events.ts";
import { placeIn, type NoteKind } from "../log/notes.ts";
import { previewOf } from "../state/preview.ts";
import { saveHeader } from "../store/header.ts";
import { LogReader } from "../log/log-reader.ts";
import type { EventCheck } from "./check.ts";
import { invalid } from "./lines.ts";
import { type Moved, movedPath, movedTarget, movePaths } from "./paths.ts";
import { isObject } from "./safe-events.ts";
import { Untrusted } from "./trust.ts";
import { sessionKey } from "../store/storage-keys.ts";

/** Number of events per write. */
const BATCH = 500;
const MAX_NAMED = 100;
/** Calls of one answer, far beyond what a model makes. */
const MAX_OPEN_CALLS = 10_000;
const PREVIEW_LENGTH = 120;

export interface IncomingLogOptions {
  storage: Storage;
  sessionId: string;
  moved: Moved;
  /** The session's original id. */
  origin: string;
  trusted: boolean;
  hasOwnFiles: boolean;
  check: EventCheck;
  now: () => number;
  /** Tells this import from others. */
  mark: string;
}

/** The log of an arriving session. */
export class IncomingLog {
  /** Contents that its events refer to. */
  readonly payloads = new Set<string>();
  readonly #options: IncomingLogOptions;
  readonly #stored: LogReader;
  readonly #untrusted: Untrusted | undefined;
  readonly #facts = new HeaderFacts();
  #batch: SessionEvent[] = [];
  #lastSeq = 0;
  #isBegun = false;
  #unknown = 0;
  /** The session's new id, if its last event hands it over. */
  #handedOverTo: string | undefined;
  /** Open calls that lost a secret of their arguments. */
  readonly #withheld: string[] = [];
  readonly #leftOut: unknown[] = [];
  #leftOutCount = 0;

  constructor(options: IncomingLogOptions) {
    const { storage, sessionId, trusted } = options;
    this.#options = options;
    this.#stored = new LogReader(storage, sessionKey(sessionId), sessionId);
    this.#untrusted = trusted ? undefined : new Untrusted();
  }

  async event(value: unknown): Promise<void> {
    const record = this.#options.check.record(value);
    if (!record) {
      // Drops unknown events, which can't be checked.
      this.#unknown += 1;
      return;
    }
    this.#requireNext(record);
    this.#isBegun ||= record.type === "session_init";
    // Hooks run, and are reported, before the first prompt is recorded.
    const isOfHooks = record.type === "hook_run" || record.type === "note";
    if (!this.#isBegun && !isOfHooks) throw invalid("it has no beginning");
    const here = this.#moved(record);
    await this.#write(this.#untrusted ? this.#untrusted.take(here) : [here]);
  }

  leftOut(what: unknown): void {
    if (isObject(what) && typeof what["toolCallId"] === "string") {
      if (this.#withheld.length >= MAX_OPEN_CALLS) throw invalid("too many calls are open");
      this.#withheld.push(what["toolCallId"]);
      return;
    }
    this.#leftOutCount += 1;
    if (this.#leftOut.length < MAX_NAMED && isObject(what)) {
      const { path, sha256, reason } = what;
      this.#leftOut.push(
        defined({
          path: typeof path === "string" ? path : undefined,
          sha256: typeof sha256 === "string" ? sha256 : undefined,
          reason: String(reason),
        }),
      );
    }
  }

  /** Writes the rest, and a note about the import. */
  async end(): Promise<void> {
    if (!this.#isBegun) throw invalid("it has no events");
    await this.#write(this.#untrusted?.end() ?? []);
    const { origin, sessionId, now, trusted, mark } = this.#options;
    // Any other import is a copy.
    const handedOver = (trusted && this.#handedOverTo === sessionId) || undefined;
    const count = this.#leftOutCount;
    this.#batch.push({
      v: SESSION_FORMAT,
      seq: this.#lastSeq + 1,
      sessionId,
      time: now(),
      type: "note",
      kind: "imported" satisfies NoteKind,
      data: {
        from: origin,
        ...defined({
          leftOut: count > 0 ? this.#leftOut : undefined,
          leftOutCount: count || undefined,
          withheldCalls: this.#withheld.length > 0 ? this.#withheld : undefined,
          unknownEvents: this.#unknown || undefined,
          handedOver,
        }),
        mark,
      },
    });
    await this.#flush();
  }

  async saveHeader(): Promise<void> {
    const { storage, sessionId, moved } = this.#options;
    await saveHeader(storage, {
      v: SESSION_FORMAT,
      id: sessionId,
      cwd: moved.to,
      ...this.#facts.header(),
    });
  }

  #requireNext(record: StoredFields): void {
    const { deltas } = record;
    const first = record.seq - (Array.isArray(deltas) ? deltas.length : 1) + 1;
    if (first <= this.#lastSeq) throw invalid(`the event ${record.seq} is out of order`);
    this.#lastSeq = record.seq;
  }

  #moved(record: StoredFields): StoredFields {
    const { moved, origin, hasOwnFiles, mark } = this.#options;
    if (record.type === "session_init") {
      const { files: _, ...rest } = record;
      return {
        ...rest,
        cwd: moved.to,
        origin: { sessionId: origin, seq: record.seq, mark },
        ...defined({ files: hasOwnFiles ? "overlay" : undefined }),
      };
    }
    return record.type === "files_before" ? this.#filesBefore(record) : movePaths(moved, record);
  }

  /** Checks that a rewind can't reach out of the workspace either. */
  #filesBefore(record: StoredFields): StoredFields {
    const files: unknown[] = Array.isArray(record["files"]) ? record["files"] : [];
    const here = files.flatMap((file) => {
      const path = isObject(file)
        ? movedPath(this.#options.moved, String(file["path"]))
        : undefined;
      if (!isObject(file) || path === undefined) return [];
      const { before } = file;
      if (!isObject(before)) return [{ path, before }];
      if (typeof before["sha256"] === "string") this.payloads.add(before["sha256"]);
      if (before["type"] !== "symlink") return [{ path, before }];
      const target = movedTarget(this.#options.moved, path, String(before["target"]));
      return target === undefined ? [] : [{ path, before: { ...before, target } }];
    });
    return { ...record, files: here };
  }

  async #write(records: readonly StoredFields[]): Promise<void> {
    for (const record of records) {
      const events = eventsOf(record, this.#options.sessionId);
      for (const event of events) {
        this.#facts.note(event);
        this.#handedOverTo = placeIn(event)?.sessionId;
      }
      this.#batch.push(...events);
    }
    if (this.#batch.length >= BATCH) await this.#flush();
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    await this.#stored.append(batch);
  }
}

/** The session's summary for lists, counted as it arrives. */
class HeaderFacts {
  #name: string | undefined;
  #createdAt = 0;
  #updatedAt = 0;
  #preview = "";
  #messageCount = 0;
  #provider = "unknown";
  #model = "unknown";
  #isOpen = false;
  readonly #waiting = new Set<string>();

  note(event: SessionEvent): void {
    this.#createdAt ||= event.time;
    this.#updatedAt = event.time;
    switch (event.type) {
      case "session_init":
      case "model_change":
        this.#provider = event.provider;
        this.#model = event.model;
        return;
      case "name_change":
        this.#name = event.name;
        return;
      case "turn_start":
        this.#isOpen = true;
        this.#preview ||= (event.displayInput ?? event.input).slice(0, PREVIEW_LENGTH);
        return;
      case "user_message":
        this.#preview ||= previewOf(event.message.content).slice(0, PREVIEW_LENGTH);
        this.#messageCount += 1;
        return;
      case "assistant_message":
      case "tool_end":
        this.#messageCount += 1;
        return;
      case "permission_request":
        this.#waiting.add(event.request.id);
        return;
      case "permission_decision":
        this.#waiting.delete(event.requestId);
        return;
      case "turn_end":
        this.#isOpen = false;
        this.#waiting.clear();
        return;
      default:
        return;
    }
  }

  header(): {
    name?: string;
    createdAt: string;
    updatedAt: string;
    preview: string;
    messageCount: number;
    provider: string;
    model: string;
    state: "idle" | "open" | "waiting";
  } {
    return defined({
      name: this.#name,
      createdAt: timeOf(this.#createdAt),
      updatedAt: timeOf(this.#updatedAt),
      preview: this.#preview,
      messageCount: this.#messageCount,
      provider: this.#provider,
      model: this.#model,
      state: this.#waiting.size > 0 ? "waiting" : this.#isOpen ? "open" : "idle",
    });
  }
}

/** Formats an untrusted time, which may be out of range. */
function timeOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}
