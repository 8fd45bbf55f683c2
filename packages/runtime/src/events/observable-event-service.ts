import type { EventService, OwnedEvent } from "./event-service.ts";

export interface EventObserver {
  next?(event: OwnedEvent): void;
  complete?(): void;
}

export interface EventSubscription {
  readonly closed: boolean;
  unsubscribe(): void;
}

/** The key under which RxJS and other libraries look for a foreign observable; libraries agree on the text when the symbol is missing. */
const INTEROP = (Symbol as { observable?: symbol }).observable ?? "@@observable";

/**
 * Events as an observable: `service.subscribe(…)`, or `from(service)` in RxJS and any library that knows the observable
 * interop. Hot: a subscriber gets what comes after it subscribed. A subscriber that throws loses its own subscription
 * and disturbs nobody; its error surfaces as an uncaught one.
 */
export class ObservableEventService implements EventService {
  readonly #observers = new Set<EventObserver>();
  #isComplete = false;

  constructor() {
    // A library may define the symbol after this module was loaded, so both spellings lead here.
    for (const key of new Set<PropertyKey>([INTEROP, "@@observable"])) {
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
