const SLICE_MS = 15;
const SLICE_STEPS = 2_000;

/** Yields to the host's event loop during a busy script, so that an abort, a timer or a click gets through. */
export interface Pacer {
  /** Counts steps; true when a pause is due. */
  due(count?: number): boolean;
  pause(): Promise<void>;
}

/** Measures by time, and by steps as well for hosts whose clock stands still while code runs. */
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
