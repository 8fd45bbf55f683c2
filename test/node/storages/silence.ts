import type { SharedStorage } from "@robota/runtime/shared-storage";
import { expect, onTestFinished, vi } from "vitest";
import type { Switchable } from "../../support/servers/switchable.ts";

/** Longer than any storage waits for an answer. */
const LONG_MS = 120_000;

/** Stores `key`, and resolves to the error of an append whose way to the server is lost, after which it is open again. */
export async function silenceOf(storage: SharedStorage, proxy: Switchable): Promise<unknown> {
  await storage.set("key", Uint8Array.of(1));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  proxy.lose();
  const failure = storage.append("log", [Uint8Array.of(1)]).then(
    () => "was answered",
    (error: unknown) => error,
  );
  await expect.poll(() => proxy.lost).toBeGreaterThan(0);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  vi.useRealTimers();
  await proxy.turnOn();
  return failure;
}
