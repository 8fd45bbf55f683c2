import { FileSystemError } from "../errors.ts";
import type { Lease } from "../ports/storage.ts";
import { configure } from "./configuration.ts";
import type { BeginSession } from "./delegation.ts";
import { closingEvents, type SessionCore } from "./core.ts";
import type { SessionEventBody } from "./log/events.ts";
import { readHeader } from "./store/header.ts";
import { acquireSession } from "./log/lease.ts";
import { resumption } from "./log/crash-recovery.ts";
import { closed } from "./refusals.ts";
import { SnapshotKeeper } from "./state/snapshot-keeper.ts";

/** What of the whole session its opening needs. */
export interface SessionLifecycleOptions {
  /** Called when another tab or process has taken the session over. */
  onLost: () => void;
  /**
   * Begins another session: what loads later gets it from here, so that it does not bring the class along. Without it,
   * nothing is configured.
   */
  beginSession?: BeginSession;
}

/** Holds a session for its one writer: takes the lease, loads what is stored, and gives the lease back. */
export class SessionLifecycle {
  readonly #core: SessionCore;
  readonly #options: SessionLifecycleOptions;
  readonly #snapshots: SnapshotKeeper;
  #opening: Promise<void> | undefined;
  #lease: Lease | undefined;
  /** Ends the opening, while it is under way. */
  #closing: AbortController | undefined;

  constructor(core: SessionCore, options: SessionLifecycleOptions) {
    this.#core = core;
    this.#options = options;
    this.#snapshots = new SnapshotKeeper(core);
  }

  /** Opens once; after a failure that may pass, the next call tries again. */
  open(): Promise<void> {
    if (this.#core.journal.isClosed) return Promise.reject(closed());
    this.#opening ??= this.#begin().catch((error: unknown) => {
      // The holder may leave.
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  get isLost(): boolean {
    return this.#lease?.lost.aborted ?? false;
  }

  /** Resolves when an opening that was under way has ended, well or not; it waits for nobody's answer any more. */
  async settled(): Promise<void> {
    // An abort makes up an error with its stack, so that it is left out when nobody would hear it.
    this.#closing?.abort();
    await this.#opening?.catch(() => undefined);
  }

  /** Loads what has come into a session that was empty when it was opened. */
  async reload(): Promise<void> {
    await this.#load();
  }

  async release(): Promise<void> {
    await this.#snapshots.settled();
    await this.#lease?.release();
  }

  async #begin(): Promise<void> {
    const { gate, starting, state } = this.#core;
    const { beginSession } = this.#options;
    // Before anything is waited for: whoever shuts the session down meanwhile ends what comes behind it, too.
    const { signal } = (this.#closing = new AbortController());
    await this.#checkHooks("requireGivenHooks");
    await this.#record();
    if (beginSession) await configure(this.#core, beginSession, signal);
    // Before the lease: a session whose rules are wrong holds nothing.
    await gate.rules.open();
    await this.#open();
    await this.#makeWorkingDirectory();
    // By now it is known which workspace the session is of.
    await gate.rules.openWorkspace();
    await this.#checkHooks("reportIdleHooks");
    starting.begin(state.isInitialised ? "resume" : "startup");
    this.#closing = undefined;
  }

  /** An agent's session has the hooks of the session that it works for, where they were checked. */
  async #checkHooks(check: "requireGivenHooks" | "reportIdleHooks"): Promise<void> {
    const { options } = this.#core;
    // One that is no list is a mistake, which the check reports.
    const isEmpty = (groups: unknown): boolean => Array.isArray(groups) && groups.length === 0;
    const hasHooks = !Object.values(options.hooks ?? {}).every(isEmpty);
    if (!hasHooks || options.agent || (options.hookDepth ?? 0) > 0) return;
    const checks = await import("./hooks/hook-checks.ts");
    await checks[check](this.#core);
  }

  /** What makes a logger's entries is loaded only where there is a logger. */
  async #record(): Promise<void> {
    if (!this.#core.options.logger || this.#core.recorder) return;
    const { recorderFor } = await import("./trace/tracer-for.ts");
    this.#core.recorder = recorderFor(this.#core, this.#core.options.logger);
  }

  async #open(): Promise<void> {
    const { hasStorage, platform, sessionId, options, log, journal } = this.#core;
    if (!hasStorage) return;
    const lease = await acquireSession(platform.storage, sessionId, options.takeOver ?? false);
    this.#lease = lease;
    log.fence(lease.lost);
    lease.lost.addEventListener("abort", this.#options.onLost, { once: true });
    try {
      await this.#load();
      this.#snapshots.begin();
    } catch (error) {
      // What was read halfway is no ground to go on from: another session object can open it.
      journal.close();
      await lease.release();
      throw error;
    }
  }

  /** The directory that a platform names may be missing: files of a tab or of an object are empty at first. */
  async #makeWorkingDirectory(): Promise<void> {
    const { given, state } = this.#core;
    if (state.isInitialised || given.cwd === undefined || state.cwd !== given.cwd) return;
    try {
      await given.fs.mkdir(state.cwd, { recursive: true });
    } catch (error) {
      // Files that can't be written can still be read and talked about; whoever writes to them is told why.
      if (!(error instanceof FileSystemError)) throw error;
    }
  }

  async #moveToOwnFiles(): Promise<void> {
    const { files, given, sessionId } = this.#core;
    if (!files) return;
    const { DurableOverlay } = await import("./files/durable-overlay.ts");
    await files.moveTo(await DurableOverlay.load(given.fs, given.storage, sessionId));
  }

  /** The record that says how the session began can't be read: it has worked where its header says. */
  async #lostBeginning(): Promise<SessionEventBody> {
    const { state, journal, given, sessionId } = this.#core;
    const header = await readHeader(given.storage, sessionId);
    if (header) state.cwd = header.cwd;
    return journal.initialEvent();
  }

  async #load(): Promise<void> {
    const { log, view, state, journal, options, recorder } = this.#core;
    // A logger wants to know of everything.
    const snapshot = recorder ? undefined : await this.#snapshots.load();
    const loaded = await log.load(snapshot?.position);
    const { events, older } = loaded;
    if (snapshot && older) this.#snapshots.restore(snapshot, older);
    for (const event of events) {
      view.apply(event);
      recorder?.loaded(event);
      this.#snapshots.loaded(event);
    }
    if (events.length === 0 && !older && loaded.damagedRecords === 0) return;
    const bodies: SessionEventBody[] = state.isInitialised ? [] : [await this.#lostBeginning()];
    if (state.hasOwnFiles) await this.#moveToOwnFiles();
    const { isCut, bodies: told } = resumption(state, loaded, options.permissionMode);
    bodies.push(...told);
    if (!isCut && bodies.length === 0) return journal.resumeLater();
    if (isCut) log.skipAfterCrash();
    log.turnId = state.turn?.turnId;
    // A turn that waits for an approval stays open.
    const closing = isCut && !state.isWaiting ? closingEvents(this.#core) : [];
    await log.commit({ type: "session_resume", cut: isCut }, ...bodies, ...closing);
    if (!state.turn) log.turnId = undefined;
    journal.saveHeader();
  }
}
