import type { runHooks as run } from "./run-hooks.ts";

/**
 * Runs an event's matching hooks concurrently and combines their answers. A hook's failure is a warning, or a block if
 * its `onFailure` says so. The runner loads with the first call.
 * @throws {ValidationError} for an invalid configuration or input
 * @throws {DOMException} `AbortError` within 250 ms of `signal`
 */
export const runHooks: typeof run = async (config, event, input, options) => {
  const { runHooks: runNow } = await import("./run-hooks.ts");
  return runNow(config, event, input, options);
};
