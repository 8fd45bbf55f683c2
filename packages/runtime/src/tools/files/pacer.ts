/** Longest stretch of work between two pauses. */
const SLICE_MS = 8;
/** The same for hosts whose clock stands still while code runs: about as many characters are searched in that time. */
const SLICE_COST = 500_000;
/** Cost of work between two looks at the clock, which is not for nothing itself. */
const LOOK_COST = 10_000;
/** Which pauses go by a timer. */
const TIMER_EVERY = 8;

/**
 * Called with the cost of each piece of work, in characters looked at or the like. Now and then it returns a promise to
 * wait for, during which the host delivers aborts, draws and takes input. Throws once the turn is aborted.
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

/** Timers get every host to do what else is due, but browsers let them wait for a second in a tab that is not looked at. */
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
