import type { runHooks as run } from "./run-hooks.ts";

/**
 * Runs the hooks of an event whose matcher fits, all at the same time, and puts together what they say. What goes wrong
 * with a hook is a warning, or a block when its `onFailure` says so. What runs hooks is loaded with the first call.
 * @throws {ValidationError} when the configuration or the input has a form that can't be used
 * @throws {DOMException} `AbortError` within 250 ms of `signal`
 */
export const runHooks: typeof run = async (config, event, input, options) => {
  const { runHooks: runNow } = await import("./run-hooks.ts");
  return runNow(config, event, input, options);
};
