import { expect, it } from "vitest";
import { onAbort, raceAbort, wait } from "./abort.ts";

const never = new Promise<never>(() => {});

it("a race with an abort settles as the work does, and rejects with the reason at an abort", async () => {
  const { signal, abort } = stoppable();
  expect(await raceAbort(Promise.resolve("done"), signal)).toBe("done");
  await expect(raceAbort(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
  const racing = raceAbort(never, signal);
  const closing = raceAbort(never, signal, () => new Error("closed"));
  abort("stop");
  await expect(racing).rejects.toBe("stop");
  await expect(closing).rejects.toThrow("closed");
  await expect(raceAbort(Promise.resolve("late"), signal)).rejects.toBe("stop");
});

it("a wait ends with its time, or with an AbortError at an abort", async () => {
  const { signal, abort } = stoppable();
  await wait(1, signal);
  const waiting = wait(60_000, signal);
  abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  await expect(wait(0, signal)).rejects.toMatchObject({ name: "AbortError" });
});

it("an abort is acted on once, also one before, and not after that was stopped", () => {
  const { signal, abort } = stoppable();
  const acts: string[] = [];
  onAbort(signal, () => acts.push("before"));
  onAbort(signal, () => acts.push("stopped"))();
  abort();
  onAbort(signal, () => acts.push("after"));
  onAbort(undefined, () => acts.push("never"));
  expect(acts).toEqual(["before", "after"]);
});

function stoppable(): { signal: AbortSignal; abort: (reason?: unknown) => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}
