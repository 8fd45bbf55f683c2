const FIRST_MS = 500;
const MAX_MS = 300_000;
/** A connection that lasted this long was a good one. */
const SOUND_MS = 30_000;

/** The pause before the next attempt to connect, which doubles with each failure in a row. */
export class BackOff {
  #failures = 0;
  #until = 0;
  #connectedAt: number | undefined;

  failed(): void {
    this.#failures += 1;
    this.#until = performance.now() + Math.min(FIRST_MS * 2 ** (this.#failures - 1), MAX_MS);
    this.#connectedAt = undefined;
  }

  connected(): void {
    this.#connectedAt = performance.now();
  }

  /** A connection that ended soon counts as a failure, so that a server that dies at once is not started over and over. */
  lost(): void {
    const lasted = this.#connectedAt === undefined ? 0 : performance.now() - this.#connectedAt;
    if (lasted >= SOUND_MS) this.reset();
    else this.failed();
  }

  reset(): void {
    this.#failures = 0;
    this.#until = 0;
    this.#connectedAt = undefined;
  }

  /** Milliseconds until the next attempt. */
  get remainingMs(): number {
    return Math.max(0, this.#until - performance.now());
  }
}
