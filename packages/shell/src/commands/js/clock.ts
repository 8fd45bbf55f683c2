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
  /** Reported since the clock last moved: where it runs, next to nothing. */
  let counted = 0;
  let since = performance.now();
  let last = since;
  const turn = (): number => {
    const now = performance.now();
    if (now !== last) counted = 0;
    last = now;
    return now - since + counted;
  };
  return {
    count(ms) {
      turn();
      counted += ms;
    },
    computed: () => used + turn(),
    isTurnOver: () => turn() >= TURN_MS || counted >= TURN_COUNTED_MS,
    stop: () => void (used += turn()),
    start() {
      since = last = performance.now();
      counted = 0;
    },
  };
}
