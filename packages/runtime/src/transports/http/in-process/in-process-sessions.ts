import type { InteractiveSession } from "../../../interactive/interactive-session.ts";
import type { PermissionMode } from "../../../permissions/permission.ts";
import type { Storage } from "../../../ports/storage.ts";
import { deleteSession, listSessions } from "../../../session/store/stored-sessions.ts";
import type { Owner } from "../authenticate.ts";
import { LoadedSessions } from "./loaded-sessions.ts";
import { claim, deleteRecord, type OwnerRecord, readRecord, recordsOf } from "./owner-records.ts";
import type { SessionHost, SessionSummary } from "../session-host.ts";
import { sessionKey } from "../../../session/store/storage-keys.ts";

export interface InProcessSessionsOptions {
  /** Storage of the sessions and of their owners. */
  storage: Storage;
  /**
   * Opens the session of that id, new or stored, in the directory and with the provider and rules that it shall have.
   * `permissionMode` is there for new ones that were asked to have another one.
   */
  open: (session: {
    sessionId: string;
    permissionMode?: PermissionMode;
  }) => InteractiveSession | Promise<InteractiveSession>;
  /** Owner of stored sessions that were not created over HTTP; nobody by default. */
  ownerOfOthers?: Owner | undefined;
  /** 100 when omitted. */
  sessionsPerOwner?: number | undefined;
  /** Maximum number of loaded sessions; idle ones are unloaded, least recently used first. 50 by default. */
  maxOpen?: number | undefined;
}

/** Sessions that run in this process, such as in a Node server. Disposing shuts all of them down. */
export function inProcessSessions(
  options: InProcessSessionsOptions,
): SessionHost & AsyncDisposable {
  const { storage, open, ownerOfOthers, sessionsPerOwner = 100, maxOpen = 50 } = options;
  const sessions = new LoadedSessions({ open, maxOpen });

  const isOwned = async (owner: Owner, id: string): Promise<boolean> => {
    const record = await readRecord(storage, id);
    if (record) return record.owner === owner;
    return owner === ownerOfOthers && (await storage.version(sessionKey(id))) !== undefined;
  };

  return {
    async create(owner, session) {
      const isNew = await claim(storage, owner, session, sessionsPerOwner);
      const opened = await sessions.load(session.id, session.permissionMode);
      if (isNew && session.name !== undefined) await opened.setName(session.name);
    },

    async list(owner) {
      const records = await recordsOf(storage, owner);
      const headers = (await listSessions(storage)).filter(
        ({ id }) => records.has(id) || owner === ownerOfOthers,
      );
      const unused = new Map(records);
      for (const { id } of headers) unused.delete(id);
      return [...[...unused].map(([id, record]) => unusedSummary(id, record)), ...headers];
    },

    async open(owner, id) {
      return (await isOwned(owner, id)) ? sessions.load(id) : undefined;
    },

    async delete(owner, id) {
      if (!(await isOwned(owner, id))) return false;
      await sessions.unload(id, "deleted");
      // Refused while somebody else, such as a command line on the same storage, writes to it.
      await deleteSession(storage, id);
      await deleteRecord(storage, id);
      return true;
    },

    async [Symbol.asyncDispose]() {
      await sessions.unloadAll("server stopped");
    },
  };
}

/** A session comes into its own list with its first event. */
function unusedSummary(id: string, { createdAt }: OwnerRecord): SessionSummary {
  return { id, createdAt, updatedAt: createdAt, state: "idle" };
}
