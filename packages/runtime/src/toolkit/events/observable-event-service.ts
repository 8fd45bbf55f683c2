import type { EventService, OwnedEvent } from "../../events/event-service.ts";

/** A receiver of events. */
export interface EventObserver {
  next?(event: OwnedEvent): void;
  complete?(): void;
}

/** A subscription to events, in force until `unsubscribe`. */
export interface EventSubscription {
  readonly closed: boolean;
  unsubscribe(): void;
}

declare global {
  interface SymbolConstructor {
    /** As declared by observable libraries; defined only where one of them or the host does so. */
    readonly observable: symbol;
  }
}

/** Interop key of libraries where `Symbol.observable` is missing. */
const INTEROP = "@@observable";

/**
 * Events as an observable: `service.subscribe(…)`, or `from(service)` in RxJS and any library that supports the
 * observable interop. Hot: a subscriber gets only later events. A subscriber that throws loses its own subscription and
 * affects no other; its error surfaces as an uncaught one.
 */
export class ObservableEventService implements EventService {
  declare readonly [Symbol.observable]: () => this;
  readonly #observers = new Set<EventObserver>();
  #isComplete = false;

  constructor() {
    for (const key of new Set([INTEROP, Symbol.observable ?? INTEROP])) {
      Object.defineProperty(this, key, { value: () => this });
    }
  }

  emit(event: OwnedEvent): void {
    for (const observer of this.#observers) {
      try {
        observer.next?.(event);
      } catch (error) {
        this.#observers.delete(observer);
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  subscribe(observer: EventObserver | ((event: OwnedEvent) => void)): EventSubscription {
    const entry = typeof observer === "function" ? { next: observer } : observer;
    const observers = this.#observers;
    if (this.#isComplete) entry.complete?.();
    else observers.add(entry);
    return {
      get closed() {
        return !observers.has(entry);
      },
      unsubscribe: () => void observers.delete(entry),
    };
  }

  /** Ends the stream. */
  complete(): void {
    this.#isComplete = true;
    for (const observer of this.#observers) observer.complete?.();
    this.#observers.clear();
  }
}
