import { describe, expect, it } from "vitest";
import {
  EventHistoryModule,
  InMemoryEventEmitterMetrics,
  InMemoryHistoryStore,
} from "../toolkit/events/event-history.ts";
import {
  bindWithOwnerPath,
  DEFAULT_ABSTRACT_EVENT_SERVICE,
  type OwnedEvent,
  StructuredEventService,
} from "./event-service.ts";
import { ObservableEventService } from "../toolkit/events/observable-event-service.ts";

const event = (name: string, ...ids: string[]): OwnedEvent => ({
  name,
  ownerPath: ids.map((ownerId) => ({ ownerType: "agent", ownerId })),
  time: 1,
  data: {},
});

describe("owner paths", () => {
  it("name an event by its owner and carry the ancestors", () => {
    const seen: OwnedEvent[] = [];
    const agent = new StructuredEventService(
      { emit: (one) => seen.push(one) },
      [{ ownerType: "agent", ownerId: "a" }],
      () => 7,
    );
    agent.child({ ownerType: "tool", ownerId: "t" }).emit("execute_start", { n: 1 });
    expect(seen).toEqual([
      {
        name: "tool.execute_start",
        ownerPath: [
          { ownerType: "agent", ownerId: "a" },
          { ownerType: "tool", ownerId: "t" },
        ],
        time: 7,
        data: { n: 1 },
      },
    ]);
  });

  it("are prepended to the events of a bound service", () => {
    const seen: OwnedEvent[] = [];
    const bound = bindWithOwnerPath({ emit: (one) => seen.push(one) }, [
      { ownerType: "session", ownerId: "s" },
    ]);
    bound.emit(event("agent.created", "a"));
    expect(seen[0]?.ownerPath.map(({ ownerId }) => ownerId)).toEqual(["s", "a"]);
  });
});

it("drops events silently by default", () => {
  expect(() => DEFAULT_ABSTRACT_EVENT_SERVICE.emit(event("agent.created"))).not.toThrow();
});

describe("an observable service", () => {
  it("delivers events to each subscriber until it unsubscribes", () => {
    const service = new ObservableEventService();
    const seen: string[] = [];
    service.emit(event("before"));
    const subscription = service.subscribe(({ name }) => seen.push(name));
    service.emit(event("one"));
    subscription.unsubscribe();
    service.emit(event("two"));
    expect([seen, subscription.closed]).toEqual([["one"], true]);
  });

  it("completes", () => {
    const service = new ObservableEventService();
    let completed = 0;
    service.subscribe({ complete: () => (completed += 1) });
    service.complete();
    service.subscribe({ complete: () => (completed += 1) });
    expect(completed).toBe(2);
  });
});

describe("a record of events", () => {
  it("keeps the newest, forwards them, and finds them by name and owner", () => {
    const metrics = new InMemoryEventEmitterMetrics();
    const history = new EventHistoryModule(new InMemoryHistoryStore(3), metrics);
    for (const [name, id] of [
      ["a", "1"],
      ["b", "2"],
      ["a", "2"],
      ["c", "1"],
    ] as const)
      history.emit(event(name, id));
    expect(history.list().map(({ name }) => name)).toEqual(["b", "a", "c"]);
    expect(history.list({ name: "a" })).toHaveLength(1);
    expect(history.list({ ownerId: "2" }).map(({ name }) => name)).toEqual(["b", "a"]);
    expect([metrics.total, metrics.count("a"), metrics.count("none")]).toEqual([4, 2, 0]);
  });
});
