import type { Storage } from "../../ports/storage.ts";
import { headerOf, saveHeader, type SessionHeader } from "./header.ts";
import type { ModelChoice } from "../log/events.ts";
import type { SessionState } from "../state/state.ts";

/**
 * Keeps a session's header up to date with its log, in the background and one write at a time: the header is a cache,
 * and only the session's end waits for it.
 */
export class HeaderWriter {
  readonly #storage: Storage;
  readonly #sessionId: string;
  readonly #by: () => ModelChoice;
  /** The last written header: nobody else writes it while this session's lease is held. */
  #stored: SessionHeader | undefined;
  /** The newest header, while it waits for the write of an older one. */
  #next: SessionHeader | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(storage: Storage, sessionId: string, by: () => ModelChoice) {
    this.#storage = storage;
    this.#sessionId = sessionId;
    this.#by = by;
  }

  save(state: SessionState): void {
    const isWaiting = this.#next !== undefined;
    this.#next = headerOf(this.#sessionId, state, this.#by());
    if (isWaiting) return;
    this.#saving = this.#saving
      .then(async () => {
        const header = this.#next as SessionHeader;
        this.#next = undefined;
        this.#stored = await saveHeader(this.#storage, header, this.#stored);
      })
      // The next write repeats it; the log is complete.
      .catch(() => undefined);
  }

  /** Resolves when no write is pending. */
  settled(): Promise<void> {
    return this.#saving;
  }
}
