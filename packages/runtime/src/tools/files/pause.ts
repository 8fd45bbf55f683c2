/**
 * Lets the host do something else: draw, take input, deliver an abort. Promises alone never let it, and timers are slowed
 * down in background tabs, so this goes through a message channel.
 */
export function pause(): Promise<void> {
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

/** Pauses at every `interval`th call, and rejects once the signal has aborted. */
export function createPacer(signal: AbortSignal, interval: number): () => Promise<void> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls % interval === 0) await pause();
    signal.throwIfAborted();
  };
}
