import { FileSystemError } from "@robota/runtime";
import { type PathOptions } from "@robota/runtime/ports";
import { GroupCommit, type Outcome } from "@robota/runtime/virtual";
import { InFlight } from "../in-flight.ts";
import { type HeldLock, holdLock } from "../web-lock.ts";
import { fileSystemError, toSent } from "./errors.ts";
import { FileStore } from "./file-store.ts";
import { OwnerProxy, operationPath } from "./owner-proxy.ts";
import type { PathChange, FileOperation } from "./operation.ts";
import { type ChangeRequest, TabChannel, type TabMessage } from "./tab-channel.ts";
import type { Tree } from "./tree.ts";

export interface SharedFileSystemOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Timeout for the owner's answers. */
  ownerTimeoutMs: number;
  /** Initial directories of a new workspace. */
  directories: readonly string[];
  /**
   * Number of small changes after which further ones go to a journal first, which takes a worker and 30 ms to open, and
   * then a fifth of the time for each change.
   */
  journalAfter: number;
  /** Called when this tab has opened the workspace as its owner; `isNew` when it was never written to. */
  onOpen: (facts: { isNew: boolean }) => void;
}

/** Time that an opening tab waits for the owner, which may be busy. */
const ANSWER_MS = 500;

export type WatchListener = (changes: readonly PathChange[]) => void;

/**
 * The files of one workspace, shared by the tabs of one browser: one owner that writes, followers that read.
 *
 * The owner holds the Web Lock of the workspace. A follower reads by itself, updates its tree from the owner's commits,
 * sends its changes to the owner, and waits in the browser's queue for the lock, so that it takes over when the owner
 * goes away.
 */
export class SharedFileSystem {
  readonly #name: string;
  readonly #options: SharedFileSystemOptions;
  readonly #files: FileStore;
  readonly #writes = new GroupCommit<FileOperation, void>((operations) => this.#store(operations));
  readonly #owner: OwnerProxy;
  readonly #listeners = new Set<WatchListener>();
  readonly #calls = new InFlight();
  /** Ends the wait for the lock. */
  readonly #leaving = new AbortController();
  /** Resolves when the owner has stored all that this tab is to see. */
  readonly #answered = Promise.withResolvers<void>();
  #opened: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #channel: TabChannel | undefined;
  /** Held by the owner only. */
  #lock: HeldLock | undefined;
  /** True when this tab has opened the workspace. */
  #isReady = false;
  /** True when another tab may be listening: a single tab need not broadcast. */
  #isFollowed = false;

  constructor(name: string, options: SharedFileSystemOptions) {
    this.#name = name;
    this.#options = options;
    this.#files = new FileStore(name, options);
    this.#owner = new OwnerProxy((message) => this.#post(message), options.ownerTimeoutMs);
  }

  /** Undefined until the first use has opened the workspace. */
  get role(): "owner" | "follower" | undefined {
    if (!this.#channel) return undefined;
    return this.#lock ? "owner" : "follower";
  }

  /** The result of `look` on the tree of names, kinds and sizes. */
  async read<T>(path: string, look: (tree: Tree) => T): Promise<T> {
    return this.#attempt(path, async () => look(await this.#files.tree()));
  }

  /** As `read`, but only if the tree is loaded. */
  readNow<T>(look: (tree: Tree) => T): T | undefined {
    const tree = this.#closed ? undefined : this.#files.loadedTree;
    return tree && look(tree);
  }

  readFile(path: string, options?: PathOptions): Promise<Uint8Array> {
    return this.#attempt(path, () =>
      this.#files.readFile(path, { ...options, isOnlyWriter: this.#lock !== undefined }),
    );
  }

  readMany(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#attempt("/", () =>
      this.#files.readMany(paths, maxBytes, { isOnlyWriter: this.#lock !== undefined }),
    );
  }

  /** Resolves when the change is stored, here or by the owner. */
  async change(operation: FileOperation): Promise<void> {
    if (this.#isReady && this.#lock && !this.#closed) {
      try {
        // A close waits for all that was added.
        return await this.#writes.add(operation);
      } catch (error) {
        throw fileSystemError(error, operationPath(operation));
      }
    }
    return this.#attempt(operationPath(operation), () =>
      this.#lock ? this.#writes.add(operation) : this.#owner.send(operation),
    );
  }

  /** Calls `listener` with stored changes of this tab and others. Returns the unsubscribe function. */
  watch(listener: WatchListener): () => void {
    this.#listeners.add(listener);
    // Changes by other tabs are heard only from an open workspace.
    if (!this.#closed) this.#open().catch(reportError);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #attempt<T>(path: string, attempt: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closedError(path);
    try {
      return await this.#calls.track(this.#open().then(attempt));
    } catch (error) {
      throw fileSystemError(error, path);
    }
  }

  #open(): Promise<void> {
    this.#opened ??= this.#join().then(
      () => {
        this.#isReady = true;
      },
      (error: unknown) => {
        this.#opened = undefined;
        throw error;
      },
    );
    return this.#opened;
  }

  async #join(): Promise<void> {
    this.#channel ??= new TabChannel(this.#name, (message) => this.#hear(message));
    const lock = await holdLock(this.#lockName, { ifAvailable: true });
    if (!lock) {
      this.#post({ type: "hello" });
      this.#waitForTurn();
      await Promise.race([this.#answered.promise, delay(ANSWER_MS)]);
      return;
    }
    this.#hold(lock);
    try {
      const isNew = (await this.#files.tree()).revision === 0;
      const { directories, onOpen } = this.#options;
      if (isNew) {
        const made = directories.map((path) => ({ type: "mkdir", path, recursive: true }) as const);
        await Promise.all(made.map((operation) => this.#writes.add(operation)));
      }
      onOpen({ isNew });
    } catch (error) {
      this.#lock = undefined;
      this.#files.disown();
      lock.release();
      throw error;
    }
  }

  get #lockName(): string {
    return `robota-fs:${this.#name}`;
  }

  #waitForTurn(): void {
    const { signal } = this.#leaving;
    holdLock(this.#lockName, { signal })
      .then((lock) => lock && this.#succeed(lock))
      .catch((error: unknown) => {
        if (!signal.aborted) reportError(error);
      });
  }

  /** The former owner is gone. */
  #succeed(lock: HeldLock): void {
    if (this.#leaving.signal.aborted) return lock.release();
    this.#hold(lock);
    this.#isFollowed = true;
    this.#post({ type: "owner" });
    this.#owner.becomeOwner((operation) => this.#writes.add(operation));
  }

  #hold(lock: HeldLock): void {
    this.#lock = lock;
    // A previous owner may have stored more than it broadcast.
    this.#files.own();
    void lock.ended.then(({ stolen }) => {
      if (!stolen) return;
      this.#lock = undefined;
      this.#files.disown();
      this.#waitForTurn();
    });
  }

  #hear(message: TabMessage): void {
    switch (message.type) {
      case "hello":
        if (this.#lock) this.#announceRevision();
        return;
      case "owner":
        this.#answered.resolve();
        return this.#owner.ownerChanged();
      case "commit":
        this.#answered.resolve();
        this.#files.follow(message);
        return this.#emit(message.files);
      case "request":
        if (this.#canServe(message)) void this.#serve(message);
        return;
      case "accepted":
        return this.#owner.accepted(message.id);
      case "done":
        return this.#owner.done(message.id, message.error);
    }
  }

  #announceRevision(): void {
    this.#isFollowed = true;
    this.#files
      .settle()
      .then(() => this.#files.tree())
      .then(({ revision }) =>
        this.#post({ type: "commit", after: revision, revision, inodes: [], files: [] }),
      )
      .catch(reportError);
  }

  #canServe({ until }: ChangeRequest): boolean {
    return this.#lock !== undefined && !this.#closed && Date.now() <= until;
  }

  async #serve({ id, operation }: ChangeRequest): Promise<void> {
    this.#post({ type: "accepted", id });
    try {
      await this.#writes.add(operation);
      this.#post({ type: "done", id });
    } catch (error) {
      const sent = toSent(fileSystemError(error, operationPath(operation)));
      this.#post({ type: "done", id, error: sent });
    }
  }

  async #store(operations: readonly FileOperation[]): Promise<Outcome<void>[]> {
    const { outcomes, files, commit } = await this.#files.apply(operations, {
      isAlone: !this.#isFollowed,
    });
    // Before acknowledging: a requesting tab must see the change with its next read.
    const announced = this.#isFollowed ? commit() : undefined;
    if (announced) this.#post(announced);
    this.#emit(files);
    return outcomes;
  }

  #emit(changes: readonly PathChange[]): void {
    if (changes.length === 0) return;
    for (const listener of this.#listeners) queueMicrotask(() => listener(changes));
  }

  #post(message: TabMessage): void {
    this.#channel?.post(message);
  }

  async #close(): Promise<void> {
    await Promise.allSettled([this.#opened, this.#calls.ended()]);
    this.#leaving.abort();
    try {
      await this.#writes.idle();
      if (this.#lock) await this.#files.flush();
    } finally {
      await this.#files.close();
      this.#listeners.clear();
      this.#channel?.close();
      this.#channel = undefined;
      this.#lock?.release();
      await this.#lock?.ended;
    }
  }
}

function closedError(path: string): FileSystemError {
  const hint = "This workspace was closed. Create a new platform to go on.";
  return new FileSystemError("EIO", path, { hint });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
