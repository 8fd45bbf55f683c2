import type { EventService, OwnedEvent } from "../../events/event-service.ts";

export interface EventObserver {
  next?(event: OwnedEvent): void;
  complete?(): void;
}

export interface EventSubscription {
  readonly closed: boolean;
  unsubscribe(): void;
}

declare global {
  interface SymbolConstructor {
    /** As libraries of observables declare it; defined only where one of them or the host does so. */
    readonly observable: symbol;
  }
}

/** Where libraries look for a foreign observable when `Symbol.observable` is not there. */
const INTEROP = "@@observable";

/**
 * Events as an observable: `service.subscribe(…)`, or `from(service)` in RxJS and any library that knows the observable
 * interop. Hot: a subscriber gets what comes after it subscribed. A subscriber that throws loses its own subscription
 * and disturbs nobody; its error surfaces as an uncaught one.
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

  /** Nothing follows. */
  complete(): void {
    this.#isComplete = true;
    for (const observer of this.#observers) observer.complete?.();
    this.#observers.clear();
  }
}
