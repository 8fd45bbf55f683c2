import { FileSystemError } from "../errors.ts";
import type { Lease } from "../ports/storage.ts";
import type { Platform } from "../ports/platform.ts";
import { type ConfigurationParts, configure } from "./configure.ts";
import type { BeginSession } from "./delegation.ts";
import type { SessionFiles } from "./files/session-files.ts";
import type { HookCheckParts } from "./hooks/hook-checks.ts";
import type { StartHooks } from "./hooks/start-hooks.ts";
import type { SessionEventBody } from "./log/events.ts";
import type { SessionLog } from "./log/log.ts";
import type { SessionWriter } from "./log/session-writer.ts";
import { readHeader } from "./store/header.ts";
import { acquireSession } from "./log/lease.ts";
import { resumption } from "./log/crash-recovery.ts";
import { closed } from "./refusals.ts";
import { SnapshotKeeper, type SnapshotParts } from "./state/snapshot-keeper.ts";
import type { TracerParts } from "./trace/create-tracer.ts";
import type { SessionTracer } from "./trace/tracer.ts";
import { type ClosingParts, closingEvents } from "./turn/closing-events.ts";

export type LifecycleParts = ConfigurationParts &
  HookCheckParts &
  SnapshotParts &
  TracerParts &
  ClosingParts & {
    /** Whether anything is kept. */
    readonly hasStorage: boolean;
    readonly platform: Platform;
    readonly log: SessionLog;
    readonly writer: SessionWriter;
    readonly startHooks: StartHooks;
    readonly files: SessionFiles | undefined;
    /** Writes the session's logger, from when the session is opened; absent without one. */
    tracer: SessionTracer | undefined;
  };

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
  readonly #parts: LifecycleParts;
  readonly #options: SessionLifecycleOptions;
  readonly #snapshots: SnapshotKeeper;
  #opening: Promise<void> | undefined;
  #lease: Lease | undefined;
  /** Ends the opening, while it is under way. */
  #closing: AbortController | undefined;

  constructor(parts: LifecycleParts, options: SessionLifecycleOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#snapshots = new SnapshotKeeper(parts);
  }

  /** Opens once; after a failure that may pass, the next call tries again. */
  open(): Promise<void> {
    if (this.#parts.writer.isClosed) return Promise.reject(closed());
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
    const { approvals, startHooks, state } = this.#parts;
    const { beginSession } = this.#options;
    // Before anything is waited for: whoever shuts the session down meanwhile ends what comes behind it, too.
    const { signal } = (this.#closing = new AbortController());
    await this.#checkHooks("requireGivenHooks");
    await this.#startTracer();
    if (beginSession) await configure(this.#parts, beginSession, signal);
    // Before the lease: a session whose rules are wrong holds nothing.
    await approvals.rules.open();
    await this.#open();
    await this.#makeWorkingDirectory();
    // By now it is known which workspace the session is of.
    await approvals.rules.openWorkspace();
    await this.#checkHooks("reportIdleHooks");
    startHooks.begin(state.isInitialised ? "resume" : "startup");
    this.#closing = undefined;
  }

  /** An agent's session has the hooks of the session that it works for, where they were checked. */
  async #checkHooks(check: "requireGivenHooks" | "reportIdleHooks"): Promise<void> {
    const { options } = this.#parts;
    // One that is no list is a mistake, which the check reports.
    const isEmpty = (groups: unknown): boolean => Array.isArray(groups) && groups.length === 0;
    const hasHooks = !Object.values(options.hooks ?? {}).every(isEmpty);
    if (!hasHooks || options.agent || (options.hookDepth ?? 0) > 0) return;
    const checks = await import("./hooks/hook-checks.ts");
    await checks[check](this.#parts);
  }

  /** What makes a logger's entries is loaded only where there is a logger. */
  async #startTracer(): Promise<void> {
    if (!this.#parts.options.logger || this.#parts.tracer) return;
    const { createTracer } = await import("./trace/create-tracer.ts");
    this.#parts.tracer = createTracer(this.#parts, this.#parts.options.logger);
  }

  async #open(): Promise<void> {
    const { hasStorage, platform, sessionId, options, log, writer } = this.#parts;
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
      writer.close();
      await lease.release();
      throw error;
    }
  }

  /** The directory that a platform names may be missing: files of a tab or of an object are empty at first. */
  async #makeWorkingDirectory(): Promise<void> {
    const { hostPlatform, state } = this.#parts;
    if (state.isInitialised || hostPlatform.cwd === undefined || state.cwd !== hostPlatform.cwd)
      return;
    try {
      await hostPlatform.fs.mkdir(state.cwd, { recursive: true });
    } catch (error) {
      // Files that can't be written can still be read and talked about; whoever writes to them is told why.
      if (!(error instanceof FileSystemError)) throw error;
    }
  }

  async #moveToOwnFiles(): Promise<void> {
    const { files, hostPlatform, sessionId } = this.#parts;
    if (!files) return;
    const { DurableOverlay } = await import("./files/durable-overlay.ts");
    await files.moveTo(await DurableOverlay.load(hostPlatform.fs, hostPlatform.storage, sessionId));
  }

  /** The record that says how the session began can't be read: it has worked where its header says. */
  async #lostBeginning(): Promise<SessionEventBody> {
    const { state, writer, hostPlatform, sessionId } = this.#parts;
    const header = await readHeader(hostPlatform.storage, sessionId);
    if (header) state.cwd = header.cwd;
    return writer.initialEvent();
  }

  async #load(): Promise<void> {
    const { log, requestContext, state, writer, options, tracer } = this.#parts;
    // A logger wants to know of everything.
    const snapshot = tracer ? undefined : await this.#snapshots.load();
    const loaded = await log.load(snapshot?.position);
    const { events, older } = loaded;
    if (snapshot && older) this.#snapshots.restore(snapshot, older);
    for (const event of events) {
      requestContext.apply(event);
      tracer?.loaded(event);
      this.#snapshots.loaded(event);
    }
    if (events.length === 0 && !older && loaded.damagedRecords === 0) return;
    const bodies: SessionEventBody[] = state.isInitialised ? [] : [await this.#lostBeginning()];
    if (state.hasOwnFiles) await this.#moveToOwnFiles();
    const { isCut, bodies: reports } = resumption(state, loaded, options.permissionMode);
    bodies.push(...reports);
    if (!isCut && bodies.length === 0) return writer.resumeLater();
    if (isCut) log.skipAfterCrash();
    log.turnId = state.turn?.turnId;
    // A turn that waits for an approval stays open.
    const closing = isCut && !state.isWaiting ? closingEvents(this.#parts) : [];
    await log.commit({ type: "session_resume", cut: isCut }, ...bodies, ...closing);
    if (!state.turn) log.turnId = undefined;
    writer.saveHeader();
  }
}
