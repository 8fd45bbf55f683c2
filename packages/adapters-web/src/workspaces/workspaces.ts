import { promisifyRequest } from "idb-keyval";
import { Database } from "../indexed-db.ts";
import { forgetOpened } from "../kept-data.ts";
import { storageError } from "../storage/errors.ts";
import { deleteJournal } from "../file-system/journal-file.ts";
import { holdLock } from "../web-lock.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** An independent workspace, one of several. `browserPlatform({ workspace: id })` opens its files and sessions. */
export interface WorkspaceInfo {
  readonly id: string;
  /** Name for people; not necessarily unique. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

interface StoredWorkspace extends WorkspaceInfo {
  /** Its deletion has begun: it is unlisted, and the rest of it will be deleted. */
  isLeaving: boolean;
}

export interface WorkspacesOptions {
  /** Names the list, for pages that must not see each other's. Default `default`. */
  list?: string | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

const STORE = "workspaces";
const MAX_NAME = 120;
/** Timeout for closing the connections to a deleted workspace. */
const PATIENCE_MS = 5000;

/** The workspaces of one site, shared by all its tabs. Resolved changes are stored. */
export class Workspaces implements AsyncDisposable {
  readonly #database: Database;
  readonly #channel: BroadcastChannel;
  readonly #listeners = new Set<() => void>();
  readonly #now: () => number;
  readonly #randomUUID: () => string;
  #finished: Promise<void> | undefined;

  constructor(options: WorkspacesOptions = {}) {
    const { list = "default", now = Date.now, randomUUID = () => crypto.randomUUID() } = options;
    this.#now = now;
    this.#randomUUID = randomUUID;
    this.#database = new Database(`robota-workspaces:${list}`, {
      lockStore: STORE,
      create: (database) => database.createObjectStore(STORE, { keyPath: "id" }),
    });
    this.#channel = new BroadcastChannel(`robota-workspaces:${list}`);
    this.#channel.onmessage = () => this.#emit();
  }

  /** The oldest first. Ends deletions that the death of a tab cut short. */
  async list(): Promise<WorkspaceInfo[]> {
    this.#finished ??= this.#finishDeletions();
    await this.#finished;
    const all = await this.#read((store) => store.getAll());
    return all
      .filter(({ isLeaving }) => !isLeaving)
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      .map(({ id, name, createdAt }) => ({ id, name, createdAt }));
  }

  /**
   * Puts a workspace on the list; nothing of it is stored before it is opened. With the `id` of one that is there,
   * returns that one.
   * @throws {WorkspaceError} `INVALID_NAME`
   * @throws {StorageError} `FULL`, `IO`
   */
  async create(name: string, options: { id?: string } = {}): Promise<WorkspaceInfo> {
    const { id = this.#randomUUID() } = options;
    const info: WorkspaceInfo = { id, name: checkName(name), createdAt: this.#now() };
    const before = await this.#change(id, (known) =>
      known && !known.isLeaving ? known : { ...info, isLeaving: false },
    );
    if (!before || before.isLeaving) return info;
    return { id, name: before.name, createdAt: before.createdAt };
  }

  /** @throws {WorkspaceError} `NOT_FOUND`, `INVALID_NAME` */
  async rename(id: string, name: string): Promise<void> {
    const checked = checkName(name);
    await this.#change(id, (known) => ({ ...present(known, id), name: checked }));
  }

  /**
   * Deletes a workspace with its files and sessions, for good, and gives its space back to the browser.
   * @throws {WorkspaceError} `NOT_FOUND`; `BUSY` while this or another tab has it open, and nothing is deleted
   */
  async delete(id: string): Promise<void> {
    const lock = await this.#claim(id);
    try {
      await this.#change(id, (known) => ({ ...present(known, id), isLeaving: true }));
      await this.#erase(id);
    } finally {
      lock.release();
    }
  }

  /** Calls `listener` after a workspace was created, renamed or deleted, in any tab. Returns the function that stops it. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async dispose(): Promise<void> {
    this.#listeners.clear();
    this.#channel.close();
    await this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** Keeps every tab from opening the files, or finds that one has them open. */
  async #claim(id: string) {
    const lock = await holdLock(`robota-fs:${id}`, { ifAvailable: true });
    const { held = [] } = await navigator.locks.query();
    if (lock && !held.some(({ name = "" }) => name.startsWith(`robota-lease:${id}/`))) return lock;
    lock?.release();
    throw new WorkspaceError("BUSY", "This workspace is open", {
      hint: "Close it, here and in other tabs, then try again.",
    });
  }

  async #erase(id: string): Promise<void> {
    // A database's log is another one, by the name that `Database` gives it.
    const names = [`robota-fs:${id}`, `robota-storage:${id}`].flatMap((name) => [
      name,
      `${name}:log`,
    ]);
    await Promise.all([...names.map(deleteDatabase), deleteJournal(id)]);
    forgetOpened(id);
    await this.#attempt(id, () =>
      this.#database.write([STORE], "strict", (each) => {
        each.objectStore(STORE).delete(id);
      }),
    );
    this.#notify();
  }

  async #finishDeletions(): Promise<void> {
    const leaving = (await this.#read((store) => store.getAll())).filter((each) => each.isLeaving);
    for (const { id } of leaving) {
      try {
        const lock = await this.#claim(id);
        await this.#erase(id).finally(() => lock.release());
      } catch {
        // Another tab is deleting it, or still has it open: the next listing finishes the deletion.
      }
    }
  }

  #read(ask: (store: IDBObjectStore) => IDBRequest<StoredWorkspace[]>): Promise<StoredWorkspace[]> {
    return this.#attempt(STORE, () =>
      this.#database.read([STORE], (each) => promisifyRequest(ask(each.objectStore(STORE)))),
    );
  }

  /** Atomically updates a record by `next`, and resolves to its previous value. */
  async #change(
    id: string,
    next: (known: StoredWorkspace | undefined) => StoredWorkspace,
  ): Promise<StoredWorkspace | undefined> {
    const { known, changed } = await this.#attempt(id, () =>
      this.#database.write([STORE], "strict", async (each) => {
        const store = each.objectStore(STORE);
        const known = await promisifyRequest<StoredWorkspace | undefined>(store.get(id));
        const changed = next(known);
        if (changed !== known) store.put(changed);
        return { known, changed };
      }),
    );
    if (changed !== known) this.#notify();
    return known;
  }

  async #attempt<T>(id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#database.retrying(work);
    } catch (error) {
      throw error instanceof WorkspaceError ? error : storageError(error, id);
    }
  }

  #notify(): void {
    this.#channel.postMessage(null);
    this.#emit();
  }

  #emit(): void {
    for (const listener of this.#listeners) queueMicrotask(listener);
  }
}

function present(known: StoredWorkspace | undefined, id: string): StoredWorkspace {
  if (known && !known.isLeaving) return known;
  throw new WorkspaceError("NOT_FOUND", `There is no workspace ${id}`);
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== "" && trimmed.length <= MAX_NAME) return trimmed;
  throw new WorkspaceError("INVALID_NAME", "A workspace's name has 1 to 120 characters");
}

/** The browser notifies tabs that have it open, which then close it. */
function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error ?? new DOMException(`${name} can't be deleted`));
    request.onblocked = () =>
      setTimeout(() => {
        const hint = "Close it in other tabs: the rest of it is deleted then.";
        reject(new WorkspaceError("BUSY", "This workspace is open", { hint }));
      }, PATIENCE_MS);
  });
}
