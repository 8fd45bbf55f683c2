import { RobotaError } from "../../errors.ts";

/** The error for a prompt that was not sent, or a conversation that was not summarised. */
export function blockedBy(what: string, reason: string | undefined): RobotaError {
  return new RobotaError(`${what} was blocked by a hook: ${reason || "no reason given"}`, {
    code: "HOOK_BLOCKED",
    category: "user",
    recoverable: false,
    hint: "Resolve the hook's objection, or change the hook.",
  });
}
