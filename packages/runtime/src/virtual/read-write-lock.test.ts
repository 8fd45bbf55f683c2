import { expect, it } from "vitest";
import { ReadWriteLock } from "./read-write-lock.ts";

it("lets readers overlap, and writers wait for everything before them", async () => {
  const lock = new ReadWriteLock();
  const log: string[] = [];
  const step = (name: string) => async () => {
    log.push(`+${name}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.push(`-${name}`);
  };
  await Promise.all([
    lock.read(step("r1")),
    lock.read(step("r2")),
    lock.write(step("w1")),
    lock.write(step("w2")),
    lock.read(step("r3")),
    lock.read(step("r4")),
  ]);
  expect(log.join(" ")).toBe("+r1 +r2 -r1 -r2 +w1 -w1 +w2 -w2 +r3 +r4 -r3 -r4");
});

it("continues after failed work", async () => {
  const lock = new ReadWriteLock();
  const fail = async () => {
    throw new Error("failed");
  };
  await expect(lock.write(fail)).rejects.toThrow("failed");
  await expect(lock.read(fail)).rejects.toThrow("failed");
  expect(await lock.write(async () => "done")).toBe("done");
});
