import { abortError, ConfigurationError, RobotaError, StorageError } from "../../errors.ts";
import { ConsoleLogger, errorData, type Logger } from "../logger.ts";

/** The longest pause between two tries of a receiver that keeps failing. Milliseconds. */
const MAX_PAUSE_MS = 60_000;

export interface BatchQueueOptions {
  /** Maximum size of a batch, which is sent at once when full. 100 by default. */
  maxBatch?: number | undefined;
  /** Maximum wait of an item in milliseconds; 1,000 by default. Doubles while deliveries fail. */
  intervalMs?: number | undefined;
  /** Maximum number of waiting items; the oldest are dropped. 10,000 by default. */
  capacity?: number | undefined;
  /** Milliseconds that `close` may take; 5,000 when omitted. */
  closeTimeoutMs?: number | undefined;
  /** Receives failed deliveries and dropped items; the console by default. */
  logger?: Logger | undefined;
}

/** Takes over a batch for good, or throws. It is offered again when the error is `recoverable`, and dropped otherwise. */
export type SendBatch<Item> = (batch: readonly Item[], signal: AbortSignal) => Promise<void>;

/**
 * Delivers items in batches, in order and in the background. Undelivered items wait, up to a limit, and are retried.
 */
export class BatchQueue<Item> {
  readonly #name: string;
  readonly #send: SendBatch<Item>;
  readonly #options: {
    readonly [Name in keyof BatchQueueOptions]-?: NonNullable<BatchQueueOptions[Name]>;
  };
  #waiting: Item[] = [];
  #delivery: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #dropped = 0;
  #stop = new AbortController();

  /**
   * `name` is for messages.
   * @throws {ConfigurationError} for a limit that is no number, is negative, or lets nothing through
   */
  constructor(name: string, send: SendBatch<Item>, options: BatchQueueOptions = {}) {
    this.#name = name;
    this.#send = send;
    this.#options = {
      maxBatch: options.maxBatch ?? 100,
      intervalMs: options.intervalMs ?? 1000,
      capacity: options.capacity ?? 10_000,
      closeTimeoutMs: options.closeTimeoutMs ?? 5000,
      logger: options.logger ?? new ConsoleLogger(),
    };
    const { maxBatch, intervalMs, capacity, closeTimeoutMs } = this.#options;
    requireAtLeast(1, { maxBatch, capacity });
    requireAtLeast(0, { intervalMs, closeTimeoutMs });
  }

  /** Items that were given up: because there were too many, because the receiver refused them, or at the end. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds without waiting or throwing. */
  add(item: Item): void {
    this.#waiting.push(item);
    this.#compactIfNeeded();
    if (this.#waiting.length >= this.#options.maxBatch && this.#failures === 0) {
      this.#flushInBackground();
    } else {
      this.#schedule();
    }
  }

  /**
   * Resolves when every item added so far is delivered.
   * @throws the error of the first failed delivery; its items stay, unless they were refused for good
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.#delivery ??= this.#deliver();
    return this.#delivery ?? Promise.resolve();
  }

  /**
   * Flushes within a bounded time; remaining items are dropped. The queue stays usable.
   * @throws {StorageError} `IO` when items were lost
   */
  async close(): Promise<void> {
    const { closeTimeoutMs } = this.#options;
    const before = this.#dropped;
    const timer = setTimeout(() => this.#stop.abort(), closeTimeoutMs);
    let cause: unknown;
    try {
      await this.flush();
    } catch (error) {
      cause = error;
    } finally {
      clearTimeout(timer);
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#stop = new AbortController();
    }
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
    this.#failures = 0;
    const lost = this.#dropped - before;
    if (lost === 0) return;
    throw new StorageError("IO", `${this.#name} lost ${lost} entries that it could not deliver`, {
      cause,
      hint: "See the cause; raise closeTimeoutMs when the receiver is only slow.",
    });
  }

  /** Delivers batch after batch until nothing waits or one fails. */
  async #deliver(): Promise<void> {
    const { maxBatch } = this.#options;
    const { signal } = this.#stop;
    let refusal: unknown;
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, maxBatch);
        try {
          await stoppable(this.#send(batch, signal), signal);
          this.#failures = 0;
        } catch (error) {
          if (!isFinal(error)) {
            this.#failures += 1;
            this.#waiting.unshift(...batch);
            this.#compactIfNeeded();
            throw error;
          }
          this.#drop(batch.length, error);
          refusal ??= error;
        }
      }
      if (refusal !== undefined) throw refusal;
    } finally {
      // Cleared in the same step as the last check for waiting items, so that no item falls between two deliveries.
      this.#delivery = undefined;
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#waiting.length === 0 || this.#delivery || this.#timer !== undefined) return;
    const { intervalMs } = this.#options;
    const pause = Math.min(intervalMs * 2 ** this.#failures, Math.max(intervalMs, MAX_PAUSE_MS));
    this.#timer = setTimeout(() => this.#flushInBackground(), pause);
  }

  #flushInBackground(): void {
    if (this.#delivery) return;
    this.flush().catch((error: unknown) => {
      if (!isFinal(error))
        this.#options.logger.warn(`${this.#name} will try again`, errorData(error));
    });
  }

  #compactIfNeeded(): void {
    const surplus = this.#waiting.length - this.#options.capacity;
    if (surplus <= 0) return;
    this.#waiting.splice(0, surplus);
    this.#drop(surplus);
  }

  #drop(count: number, error?: unknown): void {
    const isFirst = this.#dropped === 0;
    this.#dropped += count;
    // One message only: a queue that is too small would flood the log; `dropped` has the number.
    if (error === undefined && !isFirst) return;
    const why = error === undefined ? {} : errorData(error);
    this.#options.logger.error(`${this.#name} drops entries`, { count, ...why });
  }
}

function requireAtLeast(least: number, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value >= least) continue;
    throw new ConfigurationError(`The option ${name} is ${value}`, {
      hint: `Give a number of at least ${least}, or leave it out.`,
    });
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof RobotaError && !error.recoverable;
}

/** The delivery, or a rejection as soon as `signal` aborts, even if the receiver ignores the signal. */
function stoppable(delivery: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(abortError());
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    void delivery.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
