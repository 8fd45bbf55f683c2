const SLICE_MS = 15;
const SLICE_STEPS = 2_000;

/** Lets the host's event loop turn while a script keeps it busy, so that an abort, a timer or a click gets through. */
export interface Pacer {
  /** Counts steps; true when it is time to pause. */
  due(count?: number): boolean;
  pause(): Promise<void>;
}

/** By time, and by steps as well for hosts whose clock stands still while code runs. */
export function createPacer(): Pacer {
  let started = performance.now();
  let steps = 0;
  return {
    due(count = 1) {
      steps += count;
      return steps >= SLICE_STEPS || performance.now() - started >= SLICE_MS;
    },
    async pause() {
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
      started = performance.now();
      steps = 0;
    },
  };
}
