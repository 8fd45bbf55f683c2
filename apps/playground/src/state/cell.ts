import { useSyncExternalStore } from "react";

/** A value over time. It is replaced, never mutated, so that React can compare it. */
export interface ReadonlyCell<T> {
  get: () => T;
  /** Calls `listener` after every change, until the returned function is called. */
  subscribe: (listener: () => void) => () => void;
}

export interface Cell<T> extends ReadonlyCell<T> {
  set: (next: T) => void;
}

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
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Draws again whenever the cell changes. */
export function useCell<T>(cell: ReadonlyCell<T>): T {
  return useSyncExternalStore(cell.subscribe, cell.get);
}
