import type { CallBounds } from "../agent/provider-call.ts";
import type { SessionOptions } from "./options.ts";

/** The bounds of each provider call of a session, whatever it is for. */
export function callBounds({
  providerTimeout = 0,
  progressTimeout,
  callTimeout,
}: Pick<SessionOptions, "providerTimeout" | "progressTimeout" | "callTimeout">): CallBounds {
  return {
    idleTimeoutMs: providerTimeout,
    progressTimeoutMs: progressTimeout,
    callTimeoutMs: callTimeout,
  };
}
