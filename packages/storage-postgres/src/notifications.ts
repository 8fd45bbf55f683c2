import type { Pool, PoolClient } from "pg";

/** Milliseconds between attempts to listen again after the connection was lost. */
const RETRY_MS = 1000;

/** Listens to a channel on a connection of its own, which is opened anew when it breaks. Best effort, as notifications are. */
export class Notifications {
  readonly #pool: Pool;
  readonly #channel: string;
  readonly #listener: (payload: string) => void;
  #client: PoolClient | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(pool: Pool, channel: string, listener: (payload: string) => void) {
    this.#pool = pool;
    this.#channel = channel;
    this.#listener = listener;
  }

  async open(): Promise<void> {
    const client = await this.#pool.connect();
    if (this.#isClosed) return client.release();
    this.#client = client;
    client.on("notification", ({ payload }) => this.#listener(payload ?? ""));
    client.on("error", () => this.#broken(client));
    try {
      await client.query(`LISTEN ${this.#channel}`);
    } catch (error) {
      this.#leave(client);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Not for others: it listens.
    this.#client?.release(true);
    this.#client = undefined;
  }

  #broken(client: PoolClient): void {
    if (this.#leave(client)) this.#retry();
  }

  /** Returns whether the connection was still in use. */
  #leave(client: PoolClient): boolean {
    if (this.#client !== client) return false;
    this.#client = undefined;
    client.release(true);
    return true;
  }

  #retry(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.open().catch(() => this.#retry()), RETRY_MS);
    this.#timer.unref();
  }
}
