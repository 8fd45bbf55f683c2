import { errorMessage } from "../../../errors.ts";
import type { InteractiveSession } from "../../../interactive/interactive-session.ts";
import type { PermissionMode } from "../../../permissions/permission.ts";

export interface LoadedSessionsOptions {
  open: (session: {
    sessionId: string;
    permissionMode?: PermissionMode;
  }) => InteractiveSession | Promise<InteractiveSession>;
  maxOpen: number;
}

/** Sessions in the memory of this process; those that run nothing and were not used for longest make room for others. */
export class LoadedSessions {
  readonly #options: LoadedSessionsOptions;
  /** Sessions in the order of their last use. */
  readonly #loaded = new Map<string, InteractiveSession>();
  readonly #loading = new Map<string, Promise<InteractiveSession>>();
  /** The ends of sessions that were idle or taken over: those under way, and those that failed. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: LoadedSessionsOptions) {
    this.#options = options;
  }

  load(id: string, permissionMode?: PermissionMode): Promise<InteractiveSession> {
    const session = this.#loaded.get(id);
    if (session) {
      this.#loaded.delete(id);
      this.#loaded.set(id, session);
      return Promise.resolve(session);
    }
    const opening =
      this.#loading.get(id) ??
      this.#start(id, permissionMode).finally(() => this.#loading.delete(id));
    this.#loading.set(id, opening);
    return opening;
  }

  /** Shuts a session down, once it is open when it is just being opened. */
  async unload(id: string, reason: string): Promise<void> {
    // Its failure reaches the request that opens it.
    await this.#loading.get(id)?.catch(() => undefined);
    try {
      await this.#loaded.get(id)?.shutdown({ reason });
    } finally {
      this.#loaded.delete(id);
    }
  }

  /** Shuts all of them down. @throws {AggregateError} what failed, once all others are shut down */
  async unloadAll(reason: string): Promise<void> {
    await Promise.allSettled(this.#loading.values());
    const sessions = [...this.#loaded.values()];
    this.#loaded.clear();
    const ended = await Promise.allSettled([
      ...sessions.map((session) => session.shutdown({ reason })),
      ...this.#leaving,
    ]);
    const failures = ended.flatMap((end): unknown[] =>
      end.status === "rejected" ? [end.reason] : [],
    );
    if (failures.length === 0) return;
    const reasons = failures.map(errorMessage).join("; ");
    throw new AggregateError(failures, `Not all sessions could be shut down: ${reasons}`);
  }

  async #start(id: string, permissionMode?: PermissionMode): Promise<InteractiveSession> {
    const mode = permissionMode === undefined ? {} : { permissionMode };
    const session = await this.#options.open({ sessionId: id, ...mode });
    let isOver = false;
    session.on("event", (event) => {
      const isLost = event.type === "note" && event.kind === "taken-over";
      if (!isLost && event.type !== "session_shutdown") return;
      isOver = true;
      // Another object may serve the session by now.
      if (this.#loaded.get(id) === session) this.#loaded.delete(id);
      // It is written elsewhere now: its next request here opens it again.
      if (isLost) void this.#leave(session, "taken over");
    });
    try {
      await session.ready;
    } catch (error) {
      await session.shutdown().catch(() => undefined);
      throw error;
    }
    await this.#makeRoom();
    if (!isOver) this.#loaded.set(id, session);
    return session;
  }

  /** Shuts a session down that no request here waits for, so `unloadAll` reports its failure. */
  async #leave(session: InteractiveSession, reason: string): Promise<void> {
    const leaving = session.shutdown({ reason });
    this.#leaving.add(leaving);
    const [end] = await Promise.allSettled([leaving]);
    if (end.status === "fulfilled") this.#leaving.delete(leaving);
  }

  async #makeRoom(): Promise<void> {
    for (const [id, session] of this.#loaded) {
      if (this.#loaded.size < this.#options.maxOpen) return;
      if (session.isExecuting()) continue;
      this.#loaded.delete(id);
      await this.#leave(session, "idle");
    }
  }
}
