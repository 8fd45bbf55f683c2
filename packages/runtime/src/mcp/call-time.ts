import { abortError } from "../errors.ts";

/** `setTimeout` takes a longer delay for none. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

/**
 * The time of one request to a server: progress restarts it, and while a person is asked for the server's sake, it stands
 * still. `signal` aborts at its end, and with the caller's own signal.
 */
export class CallTime implements Disposable {
  readonly signal: AbortSignal;
  readonly #limitMs: number;
  readonly #ended = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauses = 0;
  /** True when the time was up. */
  isOver = false;

  constructor(limitMs: number, signal?: AbortSignal) {
    this.#limitMs = Math.min(limitMs, NO_LIMIT_MS);
    this.signal = signal ? AbortSignal.any([signal, this.#ended.signal]) : this.#ended.signal;
    this.restart();
  }

  restart(): void {
    clearTimeout(this.#timer);
    if (this.#pauses > 0 || this.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#ended.abort(abortError());
    }, this.#limitMs);
  }

  /** Stands still until `work` has settled. */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    this.#pauses += 1;
    clearTimeout(this.#timer);
    try {
      return await work;
    } finally {
      this.#pauses -= 1;
      this.restart();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    // Also for work that ends later.
    this.#pauses = Infinity;
  }
}
