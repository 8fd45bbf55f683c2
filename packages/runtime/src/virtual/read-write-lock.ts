/** Lets many readers in together or one writer alone, in the order they came. */
export class ReadWriteLock {
  /** Ends with everything that was let in or waits. */
  #all: Promise<unknown> = Promise.resolve();
  /** Ends with the last writer that was let in or waits. */
  #writers: Promise<unknown> = Promise.resolve();

  read<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writers.then(work);
    this.#all = Promise.allSettled([this.#all, result]);
    return result;
  }

  write<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#all.then(work);
    this.#all = this.#writers = Promise.allSettled([result]);
    return result;
  }
}
