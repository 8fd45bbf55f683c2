import type { Signal } from "./signals.ts";

/** Time for a process to unwind before it is left behind. */
const UNWIND_MS = 100;

/** The end that a signal may put to a process and to all that it waits for. */
export class Ending {
  readonly #controller = new AbortController();
  #signal: Signal | undefined;

  /** The signal that has ended the process. */
  get signal(): Signal | undefined {
    return this.#signal;
  }

  /** Aborted by the signal. */
  get aborted(): AbortSignal {
    return this.#controller.signal;
  }

  end(signal: Signal): void {
    this.#signal ??= signal;
    this.#controller.abort();
  }

  /** Waits for the process: for some time only, once it has been ended, since one that waits itself, as for input, does not notice. */
  async untilOver(running: Promise<number>): Promise<number | undefined> {
    const { aborted } = this;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait = (): void => {};
    const isLeft = new Promise<undefined>((resolve) => {
      wait = () => {
        timer = setTimeout(() => resolve(undefined), UNWIND_MS);
      };
      if (aborted.aborted) wait();
      else aborted.addEventListener("abort", wait);
    });
    try {
      return await Promise.race([running, isLeft]);
    } finally {
      clearTimeout(timer);
      aborted.removeEventListener("abort", wait);
      // One that is left behind fails later.
      running.catch(() => {});
    }
  }
}
