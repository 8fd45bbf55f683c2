import { StorageError } from "../../errors.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type { Storage } from "../../ports/storage.ts";
import { deleteSession, listSessions } from "../../session/store/stored-sessions.ts";
import { sessionKey } from "../../session/log/log.ts";
import type { Owner } from "./authenticate.ts";
import { differentRequest, tooManySessions } from "./problem.ts";
import type { NewSession, SessionHost, SessionSummary } from "./session-host.ts";

export interface InProcessSessionsOptions {
  /** Where the sessions are stored, and beside them who owns each. */
  storage: Storage;
  /**
   * Opens the session of that id, new or stored, in the directory and with the provider and rules that it shall have.
   * `permissionMode` is there for new ones that were asked to have another one.
   */
  open: (session: { sessionId: string; permissionMode?: PermissionMode }) => InteractiveSession;
  /** Who gets the sessions in the storage that were not made over HTTP; nobody when omitted. */
  ownerOfOthers?: Owner;
  /** 100 when omitted. */
  sessionsPerOwner?: number;
  /** Sessions that stay loaded; of more, those that run nothing and were not used for longest are let go. 50 when omitted. */
  maxOpen?: number;
}

interface OwnerRecord {
  owner: Owner;
  fingerprint: string;
  /** ISO 8601. */
  createdAt: string;
}

const RECORDS = "http-sessions/";

/** Sessions that run in this process, such as in a Node server. Disposing shuts all of them down. */
export function inProcessSessions(
  options: InProcessSessionsOptions,
): SessionHost & AsyncDisposable {
  const { storage, ownerOfOthers, sessionsPerOwner = 100, maxOpen = 50 } = options;
  /** In the order of their last use. */
  const loaded = new Map<string, InteractiveSession>();
  const loading = new Map<string, Promise<InteractiveSession>>();

  const load = (id: string, permissionMode?: PermissionMode): Promise<InteractiveSession> => {
    const session = loaded.get(id);
    if (session) {
      loaded.delete(id);
      loaded.set(id, session);
      return Promise.resolve(session);
    }
    const opening = loading.get(id) ?? start(id, permissionMode).finally(() => loading.delete(id));
    loading.set(id, opening);
    return opening;
  };
  const start = async (
    id: string,
    permissionMode?: PermissionMode,
  ): Promise<InteractiveSession> => {
    const mode = permissionMode === undefined ? {} : { permissionMode };
    const session = options.open({ sessionId: id, ...mode });
    session.on("event", ({ type }) => {
      if (type === "session_shutdown") loaded.delete(id);
    });
    await session.ready;
    await compactIfNeeded();
    loaded.set(id, session);
    return session;
  };
  const compactIfNeeded = async (): Promise<void> => {
    for (const [id, session] of loaded) {
      if (loaded.size < maxOpen) return;
      if (session.isExecuting()) continue;
      loaded.delete(id);
      await session.shutdown({ reason: "idle" });
    }
  };

  const isOwned = async (owner: Owner, id: string): Promise<boolean> => {
    const record = await readRecord(storage, id);
    if (record) return record.owner === owner;
    return owner === ownerOfOthers && (await storage.version(sessionKey(id))) !== undefined;
  };
  /** The sessions of an owner that were made over HTTP. */
  const recordsOf = async (owner: Owner): Promise<Map<string, OwnerRecord>> => {
    const records = new Map<string, OwnerRecord>();
    for (const key of await storage.keys(RECORDS)) {
      const id = key.slice(RECORDS.length);
      const record = await readRecord(storage, id);
      if (record?.owner === owner) records.set(id, record);
    }
    return records;
  };
  /** Whether the id was free; `false` when the same request made it before. */
  const claim = async (owner: Owner, { id, fingerprint }: NewSession): Promise<boolean> => {
    const known = await readRecord(storage, id);
    if (known?.fingerprint === fingerprint) return false;
    if (known) throw differentRequest();
    if ((await recordsOf(owner)).size >= sessionsPerOwner) throw tooManySessions(sessionsPerOwner);
    const createdAt = new Date().toISOString();
    const record: OwnerRecord = { owner, fingerprint, createdAt };
    try {
      const bytes = new TextEncoder().encode(JSON.stringify(record));
      await storage.set(RECORDS + id, bytes, { ifMatch: null });
      return true;
    } catch (error) {
      // The same request at the same time got in first.
      if (error instanceof StorageError && error.code === "CONFLICT") return false;
      throw error;
    }
  };

  return {
    async create(owner, session) {
      const isNew = await claim(owner, session);
      const opened = await load(session.id, session.permissionMode);
      if (isNew && session.name !== undefined) await opened.setName(session.name);
    },

    async list(owner) {
      const records = await recordsOf(owner);
      const headers = (await listSessions(storage)).filter(
        ({ id }) => records.has(id) || owner === ownerOfOthers,
      );
      const unused = new Map(records);
      for (const { id } of headers) unused.delete(id);
      return [...[...unused].map(([id, record]) => unusedSummary(id, record)), ...headers];
    },

    async open(owner, id) {
      return (await isOwned(owner, id)) ? load(id) : undefined;
    },

    async delete(owner, id) {
      if (!(await isOwned(owner, id))) return false;
      await loading.get(id);
      await loaded.get(id)?.shutdown({ reason: "deleted" });
      loaded.delete(id);
      // Refused while somebody else, such as a command line on the same storage, is writing it.
      await deleteSession(storage, id);
      await storage.delete(RECORDS + id);
      return true;
    },

    async [Symbol.asyncDispose]() {
      await Promise.allSettled(loading.values());
      const sessions = [...loaded.values()];
      loaded.clear();
      for (const session of sessions) await session.shutdown({ reason: "server stopped" });
    },
  };
}

async function readRecord(storage: Storage, id: string): Promise<OwnerRecord | undefined> {
  const bytes = await storage.get(RECORDS + id);
  // Written by `claim` and nobody else.
  return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as OwnerRecord);
}

/** A session comes into its own list with its first event. */
function unusedSummary(id: string, { createdAt }: OwnerRecord): SessionSummary {
  return { id, createdAt, updatedAt: createdAt, state: "idle" };
}
