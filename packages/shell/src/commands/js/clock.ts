/** Time of computing before a script yields. */
const TURN_MS = 15;
/** The same on hosts whose clock stands still while code runs, in milliseconds reported to `count`. */
const TURN_COUNTED_MS = 3.2;

/** The computing time of a script. */
export interface Clock {
  /** Adds the estimated time of a step on hosts whose clock stands still while code runs; ignored elsewhere. */
  count(ms: number): void;
  computed(): number;
  isTurnOver(): boolean;
  /** Stops the clock while other code runs. */
  stop(): void;
  start(): void;
}

export function createClock(): Clock {
  let used = 0;
  let counted = 0;
  let since = performance.now();
  const turn = (): number => performance.now() - since || counted;
  return {
    count: (ms) => void (counted += ms),
    computed: () => used + turn(),
    isTurnOver() {
      const elapsed = performance.now() - since;
      return elapsed >= TURN_MS || (elapsed === 0 && counted >= TURN_COUNTED_MS);
    },
    stop: () => void (used += turn()),
    start() {
      since = performance.now();
      counted = 0;
    },
  };
}
