/** A Web Lock that is held until it is released or stolen. */
export interface HeldLock {
  /** Resolves when the lock is free again, to whether it was stolen. */
  readonly ended: Promise<{ stolen: boolean }>;
  release(): void;
}

/**
 * Requests a Web Lock; resolves to undefined with `ifAvailable` when it is taken. Waits in the browser's queue, which
 * serves tabs and workers of one origin and frees the locks of those that die.
 */
export function holdLock(name: string, options: LockOptions = {}): Promise<HeldLock | undefined> {
  return new Promise((resolve, reject) => {
    const released = Promise.withResolvers<void>();
    let isHeld = false;
    const request = navigator.locks.request(name, options, (lock) => {
      if (!lock) return resolve(undefined);
      isHeld = true;
      resolve({ ended, release: released.resolve });
      return released.promise;
    });
    // A stolen lock's request is rejected while its callback still runs.
    const ended = request.then(
      () => ({ stolen: false }),
      (error: unknown) => {
        if (!isHeld) reject(error);
        return { stolen: isHeld };
      },
    );
  });
}
