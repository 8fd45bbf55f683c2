import type { EventService, OwnedEvent } from "../../events/event-service.ts";

/** Storage of recorded events. */
export interface EventHistoryStore {
  add(event: OwnedEvent): void;
  /** Oldest first. */
  list(): readonly OwnedEvent[];
  clear(): void;
}

const DEFAULT_CAPACITY = 10_000;

/** Keeps the newest events up to a number; the oldest make room. */
export class InMemoryHistoryStore implements EventHistoryStore {
  readonly #capacity: number;
  #events: OwnedEvent[] = [];

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  add(event: OwnedEvent): void {
    this.#events.push(event);
    // Cut in halves, so that a full store does not move its whole content for each event.
    if (this.#events.length >= this.#capacity * 2)
      this.#events = this.#events.slice(-this.#capacity);
  }

  list(): readonly OwnedEvent[] {
    return this.#events.slice(-this.#capacity);
  }

  clear(): void {
    this.#events = [];
  }
}

/** Records the events that pass through it to another service. */
export class EventHistoryModule implements EventService {
  readonly #store: EventHistoryStore;
  readonly #next: EventService | undefined;

  constructor(store: EventHistoryStore = new InMemoryHistoryStore(), next?: EventService) {
    this.#store = store;
    this.#next = next;
  }

  emit(event: OwnedEvent): void {
    this.#store.add(event);
    this.#next?.emit(event);
  }

  /** Recorded events, oldest first: all, those of one name, or those of an owner and everything it owns. */
  list(filter: { name?: string; ownerId?: string } = {}): OwnedEvent[] {
    const { name, ownerId } = filter;
    return this.#store
      .list()
      .filter((event) => name === undefined || event.name === name)
      .filter(
        (event) =>
          ownerId === undefined || event.ownerPath.some((owner) => owner.ownerId === ownerId),
      );
  }
}

/** Counts events by name. */
export class InMemoryEventEmitterMetrics implements EventService {
  readonly #counts = new Map<string, number>();

  emit({ name }: OwnedEvent): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  reset(): void {
    this.#counts.clear();
  }
}
