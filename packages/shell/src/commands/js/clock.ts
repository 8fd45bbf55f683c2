/** How long a script computes before others have a turn. */
const TURN_MS = 15;
/** The same where the clock stands still while code runs, in milliseconds as `count` was told of them. */
const TURN_COUNTED_MS = 3.2;

/** How long a script has computed. */
export interface Clock {
  /** Adds what a step is taken to last on hosts whose clock stands still while code runs; elsewhere nobody looks at it. */
  count(ms: number): void;
  computed(): number;
  isTurnOver(): boolean;
  /** Until the clock starts again others run. */
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
