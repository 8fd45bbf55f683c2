import type { Platform } from "../../ports/platform.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionState } from "../state/state.ts";
import { type ForeignFields, headerOf, saveHeader, type SessionHeader } from "./header.ts";

export interface HeaderParts {
  readonly sessionId: string;
  readonly options: Pick<SessionOptions, "provider">;
  readonly hostPlatform: Platform;
  readonly state: SessionState;
}

/**
 * Keeps a session's header up to date with its log, in the background and one write at a time: the header is a cache,
 * and only the session's end waits for it.
 */
export class HeaderWriter {
  readonly #parts: HeaderParts;
  /** What others have put into the header: nobody does while this session's lease is held. */
  #foreign: ForeignFields | undefined;
  /** The newest header, while it waits for the write of an older one. */
  #next: SessionHeader | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(parts: HeaderParts) {
    this.#parts = parts;
  }

  save(): void {
    const { sessionId, state, options, hostPlatform } = this.#parts;
    const { name: provider, model } = options.provider;
    const isWaiting = this.#next !== undefined;
    this.#next = headerOf(sessionId, state, { provider, model });
    if (isWaiting) return;
    this.#saving = this.#saving
      .then(async () => {
        const header = this.#next as SessionHeader;
        this.#next = undefined;
        this.#foreign = await saveHeader(hostPlatform.storage, header, this.#foreign);
      })
      // The next write repeats it; the log is complete.
      .catch(() => undefined);
  }

  /** Resolves when no write is pending. */
  settled(): Promise<void> {
    return this.#saving;
  }
}
