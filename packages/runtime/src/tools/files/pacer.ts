/** Longest stretch of work between two pauses. */
const SLICE_MS = 8;
/**
 * The slice for hosts whose clock stands still while code runs: the approximate number of characters searched in that
 * time.
 */
const SLICE_COST = 500_000;
/** Cost of work between two reads of the clock, which is not free. */
const LOOK_COST = 10_000;
/** Every how many pauses one uses a timer. */
const TIMER_EVERY = 8;

/**
 * Called with the cost of each piece of work, in characters examined or the like. Sometimes returns a promise to await,
 * during which the host delivers aborts, renders and handles input. Throws once the turn is aborted.
 */
export type Pace = (cost: number) => Promise<void> | undefined;

export function createPacer(signal: AbortSignal): Pace {
  let spent = 0;
  let looked = 0;
  let pauses = 0;
  let started = performance.now();
  const pause = async (): Promise<void> => {
    pauses += 1;
    await (pauses % TIMER_EVERY === 0 ? timerTurn() : messageTurn());
    spent = 0;
    looked = 0;
    started = performance.now();
    signal.throwIfAborted();
  };
  return (cost) => {
    signal.throwIfAborted();
    spent += cost;
    if (spent >= SLICE_COST) return pause();
    if (spent - looked < LOOK_COST) return undefined;
    looked = spent;
    return performance.now() - started >= SLICE_MS ? pause() : undefined;
  };
}

/** Timers make every host do pending work, but browsers throttle them to one a second in a hidden tab. */
function timerTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Messages don't wait, but in workerd they overtake everything else. */
function messageTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}
