import type { Storage } from "../../ports/storage.ts";
import { headerOf, saveHeader, type SessionHeader } from "./header.ts";
import type { SessionState } from "../state/state.ts";

/**
 * Keeps a session's header as its log goes on, in the background and one write after the other: the header is a cache, and
 * nobody waits for it but the session's end.
 */
export class HeaderWriter {
  readonly #storage: Storage;
  readonly #sessionId: string;
  readonly #by: { provider: string; model: string };
  /** As it was written last: nobody else writes it while this session is held. */
  #stored: SessionHeader | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(storage: Storage, sessionId: string, by: { provider: string; model: string }) {
    this.#storage = storage;
    this.#sessionId = sessionId;
    this.#by = by;
  }

  save(state: SessionState): void {
    const header = headerOf(this.#sessionId, state, this.#by);
    this.#saving = this.#saving
      .then(async () => {
        this.#stored = await saveHeader(this.#storage, header, this.#stored);
      })
      // The next one writes it again; the log has everything.
      .catch(() => undefined);
  }

  /** Resolves when nothing is being written. */
  settled(): Promise<void> {
    return this.#saving;
  }
}
