interface Waiting {
  kind: "read" | "write";
  enter: () => void;
}

/** A fair read-write lock: many readers or one writer, in order of arrival; synchronous when free. */
export class ReadWriteLock {
  readonly #waiting: Waiting[] = [];
  #readers = 0;
  #isWriting = false;

  /** True when no writer holds it or waits, so that a reader need not wait. */
  get isOpen(): boolean {
    // Readers only ever wait behind a writer.
    return !this.#isWriting && this.#waiting.length === 0;
  }

  async read<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOpen) this.#readers += 1;
    else await this.#turn("read");
    try {
      return await work();
    } finally {
      this.#readers -= 1;
      this.#letIn();
    }
  }

  async write<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOpen && this.#readers === 0) this.#isWriting = true;
    else await this.#turn("write");
    try {
      return await work();
    } finally {
      this.#isWriting = false;
      this.#letIn();
    }
  }

  #turn(kind: Waiting["kind"]): Promise<void> {
    return new Promise((enter) => this.#waiting.push({ kind, enter }));
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next && !this.#isWriting; next = this.#waiting[0]) {
      if (next.kind === "write") {
        if (this.#readers > 0) return;
        this.#isWriting = true;
      } else {
        this.#readers += 1;
      }
      this.#waiting.shift();
      next.enter();
    }
  }
}
