import { useMemo, useSyncExternalStore } from "react";
import type { Readable } from "./store/readable.ts";

/** The value of a store; draws again whenever it changes. */
export function useReadable<T>(readable: Readable<T>): T {
  return useSelected(readable, whole);
}

/** Part of a store's value; draws again only when that part is another object, or when one of its fields is. */
export function useSelected<T, Part>(readable: Readable<T>, select: (value: T) => Part): Part {
  const selected = useMemo(() => selecting(readable, select), [readable, select]);
  return useSyncExternalStore(selected.subscribe, selected.get, selected.get);
}

function whole<T>(value: T): T {
  return value;
}

function selecting<T, Part>(readable: Readable<T>, select: (value: T) => Part): Readable<Part> {
  let last: { part: Part } | undefined;
  return {
    get() {
      const part = select(readable.get());
      if (!last || !isSame(last.part, part)) last = { part };
      return last.part;
    },
    subscribe: (listener) => readable.subscribe(listener),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isPlain(one) || !isPlain(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.is(one[key], other[key]))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  // A map and a list have their content elsewhere than in their fields.
  return Object.getPrototypeOf(value) === Object.prototype;
}
