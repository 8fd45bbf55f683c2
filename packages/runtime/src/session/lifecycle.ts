import { FileSystemError } from "../errors.ts";
import { loadOnce } from "../load-once.ts";
import type { Lease } from "../ports/storage.ts";
import type { Platform } from "../ports/platform.ts";
import type { TerminalOutput } from "../ports/terminal.ts";
import { type ConfigurationParts, configure } from "./configure.ts";
import type { BeginSession } from "./agents/delegation.ts";
import type { ReadHooks } from "../hooks/read-hooks.ts";
import type { HookCheckParts } from "./hooks/hook-checks.ts";
import type { StartHooks } from "./hooks/start-hooks.ts";
import { acquireSession } from "./log/lease.ts";
import { closed } from "./log/refusals.ts";
import { SnapshotKeeper, type SnapshotParts } from "./state/snapshot-keeper.ts";
import type { TracerParts } from "./trace/create-tracer.ts";
import type { SessionLogger } from "./trace/logger.ts";
import type { SessionTracer } from "./trace/tracer.ts";
import type { SwitchParts } from "./turn/switch-model.ts";
import type { ReopenParts } from "./reopen.ts";

const loadHookChecks = loadOnce(() => import("./hooks/hook-checks.ts"));

export type LifecycleParts = ConfigurationParts &
  HookCheckParts &
  SnapshotParts &
  TracerParts &
  ReopenParts &
  SwitchParts & {
    /** True when the session is stored. */
    readonly hasStorage: boolean;
    readonly platform: Platform;
    readonly startHooks: StartHooks;
    /** Writes the session's logger, from when the session is opened; absent without one. */
    tracer: SessionTracer | undefined;
  };

/** The dependencies of opening a session. */
export interface SessionLifecycleOptions {
  /** Called when another tab or process has taken over the session. */
  onLost: () => void;
  /**
   * Creates another session: lazy modules get it from here, so that they do not import the class. Without it, nothing
   * is configured.
   */
  beginSession?: BeginSession | undefined;
}

/**
 * Opens and closes a session for its single writer: takes the lease, loads the stored state, and releases the lease.
 */
export class SessionLifecycle {
  readonly #parts: LifecycleParts;
  readonly #options: SessionLifecycleOptions;
  readonly #snapshots: SnapshotKeeper;
  #opening: Promise<void> | undefined;
  #lease: Lease | undefined;
  #isReleased = false;
  #hasTerminal = false;
  /** Ends the opening, while it is under way. */
  #closing: AbortController | undefined;

  constructor(parts: LifecycleParts, options: SessionLifecycleOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#snapshots = new SnapshotKeeper(parts);
  }

  /** Opens once; after a transient failure, the next call tries again. */
  open(): Promise<void> {
    if (this.#parts.writer.isClosed) return Promise.reject(closed());
    this.#opening ??= this.#begin().catch((error: unknown) => {
      // The holder may leave.
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** False once another tab or process may hold the session. */
  get isOwn(): boolean {
    return !this.#isReleased && !this.#lease?.lost.aborted;
  }

  /** Resolves when a pending opening has settled; it no longer waits for an answer. */
  async settled(): Promise<void> {
    // An abort creates an error with its stack, so it is skipped when nothing would receive it.
    this.#closing?.abort();
    await this.#opening?.catch(() => undefined);
  }

  /** Loads events that were added to a session opened empty. */
  async reload(): Promise<void> {
    await this.#load();
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#snapshots.settled();
    await this.#lease?.release();
  }

  async #begin(): Promise<void> {
    const { approvals, startHooks, state, options } = this.#parts;
    const { beginSession } = this.#options;
    // Created before the first await: a shutdown meanwhile must also end the following steps.
    const { signal } = (this.#closing = new AbortController());
    const givenHooks = this.#hasHooks ? await this.#readGivenHooks() : undefined;
    if (options.logger) await this.#startTracer(options.logger);
    if (options.terminal) await this.#startTerminal(options.terminal);
    if (beginSession && options.configure) await configure(this.#parts, beginSession, signal);
    // Opened before taking the lease: a session with invalid rules holds nothing.
    await approvals.rules.open();
    await this.#open();
    await this.#makeWorkingDirectory();
    // The session's workspace is known by now.
    await approvals.rules.openWorkspace();
    if (this.#hasHooks) await this.#reportIdleHooks(givenHooks);
    startHooks.begin(state.isInitialised ? "resume" : "startup");
    this.#closing = undefined;
  }

  /** An agent's session has the hooks of the session that it works for, where they were checked. */
  get #hasHooks(): boolean {
    const { options } = this.#parts;
    if (!options.hooks || options.agent || (options.hookDepth ?? 0) > 0) return false;
    // A non-array is a mistake, which the check reports.
    const isEmpty = (groups: unknown): boolean => Array.isArray(groups) && groups.length === 0;
    return !Object.values(options.hooks).every(isEmpty);
  }

  async #readGivenHooks(): Promise<ReadHooks> {
    const { readGivenHooks } = await loadHookChecks();
    return readGivenHooks(this.#parts);
  }

  async #reportIdleHooks(given: ReadHooks | undefined): Promise<void> {
    const { reportIdleHooks } = await loadHookChecks();
    await reportIdleHooks(this.#parts, given);
  }

  /** The tracer is loaded only with a logger. */
  async #startTracer(logger: SessionLogger): Promise<void> {
    if (this.#parts.tracer) return;
    const { createTracer } = await import("./trace/create-tracer.ts");
    this.#parts.tracer = createTracer(this.#parts, logger);
  }

  /** Most sessions have no terminal, and skip loading its reports. */
  async #startTerminal(terminal: TerminalOutput): Promise<void> {
    if (this.#hasTerminal) return;
    const { reportToTerminal } = await import("./terminal/report-to-terminal.ts");
    this.#hasTerminal = true;
    this.#parts.log.subscribe(reportToTerminal(terminal));
  }

  async #open(): Promise<void> {
    const { hasStorage, platform, sessionId, options, log, writer } = this.#parts;
    // What failed last time may have come after it.
    if (!hasStorage || this.#lease) return;
    const lease = await acquireSession(platform.storage, sessionId, options.takeOver ?? false);
    this.#lease = lease;
    log.fence(lease.lost);
    lease.lost.addEventListener("abort", this.#options.onLost, { once: true });
    try {
      await this.#load();
      this.#snapshots.begin();
    } catch (error) {
      // Partially loaded state can't be continued: another session object can open it.
      writer.close();
      await this.release();
      throw error;
    }
  }

  /** Creates the working directory, which may be missing: files of a tab or of a Durable Object are empty at first. */
  async #makeWorkingDirectory(): Promise<void> {
    const { hostPlatform, state } = this.#parts;
    if (state.isInitialised || hostPlatform.cwd === undefined || state.cwd !== hostPlatform.cwd)
      return;
    const { fs } = hostPlatform;
    // Mostly it is there, and looking costs less than an attempt to create it.
    if (await fs.stat(state.cwd).catch(() => undefined)) return;
    try {
      await fs.mkdir(state.cwd, { recursive: true });
    } catch (error) {
      // Unwritable files can still be read and discussed; writes report the reason.
      if (!(error instanceof FileSystemError)) throw error;
    }
  }

  async #load(): Promise<void> {
    const { log, requestContext, state, tracer } = this.#parts;
    // A logger needs every event.
    const snapshot = tracer ? undefined : await this.#snapshots.load();
    const loaded = await log.load(snapshot?.position);
    const { events, older } = loaded;
    if (snapshot && older) this.#snapshots.restore(snapshot, older);
    for (const event of events) {
      requestContext.apply(event);
      tracer?.loaded(event);
      this.#snapshots.loaded(event);
    }
    // A replay asks no provider.
    if (state.model && this.#options.beginSession) {
      const { adoptModel } = await import("./turn/switch-model.ts");
      adoptModel(this.#parts);
    }
    if (events.length === 0 && !older && loaded.damagedRecords === 0) return;
    const { reopen } = await import("./reopen.ts");
    await reopen(this.#parts, loaded, this.#snapshots);
  }
}
