import { expect, it } from "vitest";
import { SessionMemory } from "./memory.ts";

it("counts a change at once and records it once", async () => {
  const memory = new SessionMemory({ memory: new Map([["stored", "1"]]) });
  const recorded: unknown[] = [];
  const record = (): Promise<void> =>
    memory.record(async (changes) => {
      recorded.push(changes);
    });
  memory.set("stored", "1");
  memory.set("a", "1");
  memory.set("__proto__", "2");
  expect([memory.get("stored"), memory.get("a"), memory.get("b")]).toEqual(["1", "1", undefined]);
  await record();
  await record();
  expect(recorded).toEqual([JSON.parse('{"a":"1","__proto__":"2"}'), undefined]);
});

it("keeps unstored changes for the next time", async () => {
  const memory = new SessionMemory({ memory: undefined });
  memory.set("a", "1");
  memory.set("b", "1");
  const failed = memory.record(() => Promise.reject(new Error("full")));
  memory.set("b", "2");
  await expect(failed).rejects.toThrow("full");
  await memory.record(async (changes) => expect(changes).toEqual({ a: "1", b: "2" }));
  await memory.record(async (changes) => expect(changes).toBeUndefined());
});

it("never records an older value over a newer one", async () => {
  const memory = new SessionMemory({ memory: undefined });
  memory.set("a", "1");
  let fail = (): void => {};
  const slow = memory.record(
    () => new Promise((_, reject) => (fail = () => reject(new Error("full")))),
  );
  memory.set("a", "2");
  await memory.record(async (changes) => expect(changes).toEqual({ a: "2" }));
  fail();
  await expect(slow).rejects.toThrow("full");
  await memory.record(async (changes) => expect(changes).toEqual({ a: "2" }));
});
