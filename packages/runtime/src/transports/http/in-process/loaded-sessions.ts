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
    await this.#loading.get(id);
    await this.#loaded.get(id)?.shutdown({ reason });
    this.#loaded.delete(id);
  }

  async unloadAll(reason: string): Promise<void> {
    await Promise.allSettled(this.#loading.values());
    const sessions = [...this.#loaded.values()];
    this.#loaded.clear();
    for (const session of sessions) await session.shutdown({ reason });
  }

  async #start(id: string, permissionMode?: PermissionMode): Promise<InteractiveSession> {
    const mode = permissionMode === undefined ? {} : { permissionMode };
    const session = await this.#options.open({ sessionId: id, ...mode });
    session.on("event", ({ type }) => {
      if (type === "session_shutdown") this.#loaded.delete(id);
    });
    await session.ready;
    await this.#makeRoom();
    this.#loaded.set(id, session);
    return session;
  }

  async #makeRoom(): Promise<void> {
    for (const [id, session] of this.#loaded) {
      if (this.#loaded.size < this.#options.maxOpen) return;
      if (session.isExecuting()) continue;
      this.#loaded.delete(id);
      await session.shutdown({ reason: "idle" });
    }
  }
}
