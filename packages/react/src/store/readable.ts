/** A value over time, replaced and never mutated. Fits `useSyncExternalStore` and any other subscription model. */
export interface Readable<T> {
  get: () => T;
  /** Calls `listener` after every change, until the returned function is called. */
  subscribe: (listener: () => void) => () => void;
}

/** A `Readable` whose owner replaces the value. */
export interface Cell<T> extends Readable<T> {
  set: (next: T) => void;
}

/** Creates a value that can be read, set and subscribed to. */
export function createCell<T>(initial: T): Cell<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      // Wrapped, so that a listener that is added twice is called until both have left.
      const entry = (): void => listener();
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
  };
}
