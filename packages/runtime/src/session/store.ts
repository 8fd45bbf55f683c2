import { ValidationError } from "../errors.ts";
import type { Message } from "../messages/message.ts";
import type { Storage } from "../ports/storage.ts";
import { SESSION_FORMAT, type SessionEventBody } from "./events.ts";
import {
  deleteSession,
  listSessions,
  readHeader,
  saveHeader,
  type SessionHeader,
} from "./header.ts";
import type { HistoryEntry } from "../messages/history.ts";
import { acquireSession } from "./lease.ts";
import { SessionLog } from "./log.ts";
import { requireSessionId } from "./session-id.ts";
import { SessionState } from "./state.ts";

/** A stored session as a whole. Fields that this version does not know are kept as they are. */
export interface SessionRecord {
  id: string;
  cwd: string;
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
  /** What the model knows. */
  messages: Message[];
  /** What a person saw. */
  history: HistoryEntry[];
  name?: string;
  systemPrompt?: string;
  [field: string]: unknown;
}

export interface SessionStoreOptions {
  /** Only sessions of this working directory are listed. */
  cwd?: string;
  /** Milliseconds since the epoch; the host's clock when omitted. */
  now?: () => number;
}

/** Stored sessions as records. The log is the truth: a record is made from it, and saving one adds to it. */
export class SessionStore {
  /** Give a session this storage, and what it does is in this store. */
  readonly storage: Storage;
  readonly #cwd: string | undefined;
  readonly #now: () => number;

  constructor(storage: Storage, options: SessionStoreOptions = {}) {
    this.storage = storage;
    this.#cwd = options.cwd;
    this.#now = options.now ?? Date.now;
  }

  /** Resolves to `undefined` when there is no such session. @throws {ValidationError} when `id` is no session id */
  async load(id: string): Promise<SessionRecord | undefined> {
    requireSessionId(id);
    const { state } = await this.#read(id);
    const header = await readHeader(this.storage, id);
    if (!state.isInitialised) return undefined;
    const {
      v: _,
      preview: _preview,
      messageCount: _count,
      provider: _provider,
      model: _model,
      state: _state,
      ...kept
    } = header ?? {};
    return {
      ...kept,
      id,
      cwd: state.cwd,
      createdAt: header?.createdAt ?? new Date(state.createdAt).toISOString(),
      updatedAt: header?.updatedAt ?? new Date(state.updatedAt).toISOString(),
      messages: state.messages,
      history: state.history,
      systemPrompt: state.systemMessage,
      ...(state.name === undefined ? {} : { name: state.name }),
    };
  }

  /**
   * Stores a record. Messages that the log has already are not written again: what a record brings must begin with them.
   * @throws {ValidationError} when it does not, so that nothing stored is ever contradicted
   * @throws {SessionError} `SESSION_BUSY` while the session is open
   */
  async save(record: SessionRecord): Promise<void> {
    const {
      id,
      cwd,
      messages,
      history: _,
      systemPrompt = "",
      name,
      createdAt: _created,
      updatedAt: _updated,
      ...fields
    } = record;
    requireSessionId(id);
    await using lease = await acquireSession(this.storage, id, false);
    const { state, log } = await this.#read(id);
    log.fence(lease.lost);
    const known = state.messages.length;
    if (state.messages.some((message, index) => message.id !== messages[index]?.id)) {
      throw new ValidationError(
        `The record of ${id} does not begin with the ${known} messages that are stored`,
        {
          hint: "Load the record, add to its messages, and save it; or save it under another id.",
        },
      );
    }
    const added: SessionEventBody[] = messages.slice(known).map(eventOf);
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
    if (name !== undefined && name !== state.name) added.push({ type: "name_change", name });
    if (added.length > 0) await log.commit(...added);
    const stored = await readHeader(this.storage, id);
    await saveHeader(this.storage, { ...fields, ...headerFrom(record, state, stored) });
  }

  /** Headers, newest first. */
  async list(): Promise<SessionHeader[]> {
    const headers = await listSessions(this.storage);
    return this.#cwd === undefined ? headers : headers.filter(({ cwd }) => cwd === this.#cwd);
  }

  /** Silent when there is no such session. @throws {ValidationError} when `id` is no session id */
  async delete(id: string): Promise<void> {
    await deleteSession(this.storage, id);
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

function headerFrom(
  record: SessionRecord,
  state: SessionState,
  stored: SessionHeader | undefined,
): SessionHeader {
  return {
    v: SESSION_FORMAT,
    id: record.id,
    cwd: state.cwd,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    preview: state.preview,
    messageCount: state.messages.length,
    provider: stored?.provider ?? "unknown",
    model: stored?.model ?? "unknown",
    state: stored?.state ?? "idle",
    ...(state.name === undefined ? {} : { name: state.name }),
  };
}

function eventOf(message: Message): SessionEventBody {
  switch (message.role) {
    case "assistant":
      return { type: "assistant_message", message };
    case "tool":
      return {
        type: "tool_end",
        toolCallId: message.toolCallId,
        tool: message.name,
        message,
        outcome: { success: message.isError !== true, durationMs: 0 },
      };
    case "user":
      return { type: "user_message", message };
    case "system":
      throw new ValidationError("A record's messages hold no system message", {
        hint: "Put it into systemPrompt.",
      });
  }
}
