import type { Platform } from "../../ports/platform.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionState } from "../state/state.ts";
import { type ForeignFields, headerOf, saveHeader } from "./header.ts";
import { addPending, type PendingHeader, removePending } from "./pending-headers.ts";

export interface HeaderParts {
  readonly sessionId: string;
  readonly options: Pick<SessionOptions, "provider">;
  readonly hostPlatform: Platform;
  readonly log: SessionLog;
  readonly state: SessionState;
}

/**
 * Least time between two writes of one header, in milliseconds, but for one that says that a turn has begun. On a disk,
 * one costs more than a short turn does; a person who looks at a list does not see the difference.
 */
const PAUSE_MS = 200;

/**
 * Keeps a session's header up to date with its log, in the background, one write at a time and with a pause between
 * them: the header is a cache, and only the session's end waits for it.
 */
export class HeaderWriter implements PendingHeader {
  readonly #parts: HeaderParts;
  /** What others have put into the header: nobody does while this session's lease is held. */
  #foreign: ForeignFields | undefined;
  /** A write has been asked for and has not begun. */
  #isDue = false;
  /** Somebody waits for that write. */
  #isUrgent = false;
  /** The stored header says that a turn runs. */
  #saysOpen = false;
  #lastWrite = -Infinity;
  #endPause: (() => void) | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(parts: HeaderParts) {
    this.#parts = parts;
  }

  save(): void {
    // After a crash, whoever opens the session must learn that it cut a turn; a turn's end can wait.
    const isNews = this.#parts.state.turn !== undefined && !this.#saysOpen;
    if (!this.#isDue) this.#saveSoon();
    if (isNews) this.#endPauseNow();
  }

  #saveSoon(): void {
    this.#isDue = true;
    const { storage } = this.#parts.hostPlatform;
    const saving = this.#saving
      .then(() => this.#pause())
      .then(() => this.#write())
      // The next write repeats it; the log is complete.
      .catch(() => undefined)
      .then(() => {
        if (this.#saving === saving) removePending(storage, this);
      });
    this.#saving = saving;
    addPending(storage, this);
  }

  settled(): Promise<void> {
    this.#endPauseNow();
    return this.#saving;
  }

  #endPauseNow(): void {
    this.#isUrgent = this.#isDue;
    this.#endPause?.();
  }

  /** Resolves when enough time has passed since the last write, or a reader can't wait for that. */
  async #pause(): Promise<void> {
    const left = this.#lastWrite + PAUSE_MS - performance.now();
    if (left <= 0 || this.#isUrgent) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endPause = undefined;
  }

  async #write(): Promise<void> {
    this.#isDue = false;
    this.#isUrgent = false;
    const { sessionId, state, options, hostPlatform, log } = this.#parts;
    // The session is another holder's by now.
    if (log.lost) return;
    const { name: provider, model } = options.provider;
    const header = headerOf(sessionId, state, { provider, model });
    this.#saysOpen = header.state !== "idle";
    try {
      this.#foreign = await saveHeader(hostPlatform.storage, header, this.#foreign);
    } catch (error) {
      this.#saysOpen = false;
      throw error;
    } finally {
      this.#lastWrite = performance.now();
    }
  }
}

/** Makes the one that keeps a session's header. */
export function keepHeader(parts: HeaderParts): HeaderWriter {
  return new HeaderWriter(parts);
}
