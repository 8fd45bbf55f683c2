import { defined } from "../../defined.ts";
import { ValidationError } from "../../errors.ts";
import type { Storage } from "../../ports/storage.ts";
import type { SessionEventBody } from "../log/events.ts";
import { headerOf, readHeaders, readHeader, saveHeader, type SessionHeader } from "./header.ts";
import { acquireSession } from "../log/lease.ts";
import { SessionLog } from "../log/log.ts";
import { handedOver } from "../log/refusals.ts";
import { eventsLacking, isOldRecord, migrateSessionRecord, type SessionRecord } from "./record.ts";
import { SessionState } from "../state/state.ts";
import { deleteSession } from "./stored-sessions.ts";
import { sessionKey } from "./storage-keys.ts";
import { requireSessionId } from "../session-id.ts";

export interface SessionStoreOptions {
  /** Lists only sessions of this working directory. */
  cwd?: string | undefined;
  /** Milliseconds since the epoch; the host's clock when omitted. */
  now?: (() => number) | undefined;
}

/** Stored sessions as records. The log is the truth: a record is derived from it, and saving one appends to it. */
export class SessionStore {
  /** The storage to give to sessions, so that they appear in this store. */
  readonly storage: Storage;
  readonly #cwd: string | undefined;
  readonly #now: () => number;

  constructor(storage: Storage, options: SessionStoreOptions = {}) {
    this.storage = storage;
    this.#cwd = options.cwd;
    this.#now = options.now ?? Date.now;
  }

  /** Resolves to `undefined` for an unknown session. @throws {ValidationError} when `id` is not a session id */
  async load(id: string): Promise<SessionRecord | undefined> {
    requireSessionId(id);
    const { state } = await this.#read(id);
    const header = await readHeader(this.storage, id);
    if (!state.isInitialised) return this.#oldRecord(id);
    return {
      ...header?.record,
      id,
      cwd: state.cwd,
      createdAt: header?.createdAt ?? new Date(state.createdAt).toISOString(),
      updatedAt: header?.updatedAt ?? new Date(state.updatedAt).toISOString(),
      messages: state.messages,
      history: state.history,
      systemPrompt: state.systemPrompt,
      ...defined({ name: state.name }),
    };
  }

  /**
   * Stores a record. Messages already in the log are not written again: the record's messages must begin with them.
   * @throws {ValidationError} when they do not, so that the stored log is never contradicted
   * @throws {SessionError} `SESSION_BUSY` while the session is open, `HANDED_OVER` once it goes on elsewhere
   */
  async save(given: SessionRecord): Promise<void> {
    const record = migrateSessionRecord(given);
    const { id, cwd, messages, systemPrompt = "", name } = record;
    requireSessionId(id);
    await using lease = await acquireSession(this.storage, id, false);
    const { state, log } = await this.#read(id);
    log.fence(lease.lost);
    if (state.handedOverTo) throw handedOver(state.handedOverTo.sessionId);
    const known = state.messages.length;
    if (state.messages.some((message, index) => message.id !== messages[index]?.id)) {
      throw new ValidationError(
        `The record of ${id} does not begin with the ${known} messages that are stored`,
        {
          hint: "Load the record, add to its messages, and save it; or save it under another id.",
        },
      );
    }
    const added: SessionEventBody[] = eventsLacking(state, record);
    if (!state.isInitialised) {
      added.unshift({
        type: "session_init",
        cwd,
        systemMessage: systemPrompt,
        provider: "unknown",
        model: "unknown",
        permissionMode: "default",
        tools: [],
      });
    }
    if (name !== undefined && name !== state.name) {
      // As in an open session: a turn that was cut has the names that it got meanwhile.
      if (added.length === 0) log.turnId = state.turn?.turnId;
      added.push({ type: "name_change", name });
    }
    if (added.length > 0) await log.commit(...added);
    const stored = await readHeader(this.storage, id);
    const header = headerFrom(record, state, stored);
    // The old record's content is in the log now.
    if (isOldRecord(stored)) await this.storage.delete(sessionKey(id));
    await saveHeader(this.storage, header);
  }

  /**
   * Migrates the records that versions without a log left in this storage, and resolves to their ids. A second call
   * finds none. @throws {SessionError} `SESSION_BUSY` while one of them is open
   */
  async migrate(): Promise<string[]> {
    const migrated: string[] = [];
    for (const { id } of await readHeaders(this.storage)) {
      const record = await this.#oldRecord(id);
      if (!record) continue;
      await this.save(record);
      migrated.push(id);
    }
    return migrated;
  }

  /** Headers, newest first. */
  async list(): Promise<SessionHeader[]> {
    const headers = await readHeaders(this.storage);
    return this.#cwd === undefined ? headers : headers.filter(({ cwd }) => cwd === this.#cwd);
  }

  /**
   * Deletes a session, silently if there is none. @throws {ValidationError} when `id` is not a session id
   * @throws {SessionError} `SESSION_BUSY` while the session is open
   */
  async delete(id: string): Promise<void> {
    await deleteSession(this.storage, id);
  }

  /** A record stored as a whole, by a version without a log. */
  async #oldRecord(id: string): Promise<SessionRecord | undefined> {
    const bytes = await this.storage.get(sessionKey(id));
    const value = bytes && parsed(bytes);
    return isOldRecord(value) && value.id === id ? migrateSessionRecord(value) : undefined;
  }

  async #read(id: string): Promise<{ state: SessionState; log: SessionLog }> {
    const log = new SessionLog({ sessionId: id, storage: this.storage, now: this.#now });
    const state = new SessionState();
    const { events } = await log.load();
    for (const event of events) state.apply(event);
    log.subscribe((event) => state.apply(event));
    return { state, log };
  }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

function headerFrom(
  record: SessionRecord,
  state: SessionState,
  stored: SessionHeader | undefined,
): SessionHeader {
  const {
    id,
    createdAt,
    updatedAt,
    cwd: _cwd,
    name: _name,
    messages: _messages,
    history: _history,
    systemPrompt: _prompt,
    ...fields
  } = record;
  const { provider = "unknown", model = "unknown" } = stored ?? {};
  return defined({
    ...headerOf(id, state, { provider, model }),
    createdAt,
    updatedAt,
    record: Object.keys(fields).length > 0 || stored?.record ? fields : undefined,
  });
}
