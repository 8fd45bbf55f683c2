/** Written at once: many small files go into one transaction, and a few large ones do not fill the memory. */
const MAX_WRITING = 256;
const MAX_WRITING_BYTES = 16_000_000;

/** Runs several writes concurrently, as far as the memory allows. The next call reports the first failure. */
export interface Writing {
  /** Waits until there is room, and starts `write`, which takes `size` bytes of memory. */
  add(size: number, write: () => Promise<void>): Promise<void>;
  /** Waits for all. */
  all(): Promise<void>;
  /** Waits for all, and throws nothing. */
  ended(): Promise<void>;
}

export function createWriting(): Writing {
  const running = new Set<Promise<void>>();
  let bytes = 0;
  let failure: { error: unknown } | undefined;
  const check = (): void => {
    if (failure) throw failure.error;
  };
  return {
    async add(size: number, write: () => Promise<void>): Promise<void> {
      while (running.size >= MAX_WRITING || (bytes > 0 && bytes + size > MAX_WRITING_BYTES)) {
        await Promise.race(running);
      }
      check();
      bytes += size;
      const run: Promise<void> = write()
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => {
          bytes -= size;
          running.delete(run);
        });
      running.add(run);
    },
    async all(): Promise<void> {
      await this.ended();
      check();
    },
    async ended(): Promise<void> {
      await Promise.all(running);
    },
  };
}
