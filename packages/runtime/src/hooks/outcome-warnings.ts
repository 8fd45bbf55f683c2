import type { HookEvent } from "./events.ts";
import type { HookOutcome } from "./outcome.ts";

/** Events that no model request follows, so that a hook's text would be lost. */
const TEXT_IS_DROPPED: ReadonlySet<HookEvent> = new Set([
  "PermissionRequest",
  "PermissionDenied",
  "Notification",
  "PostCompact",
  "Stop",
  "StopFailure",
  "SessionEnd",
]);

function droppedAt(event: HookEvent): string {
  return `Context from a hook of ${event} is dropped: no request follows that event. Use UserPromptSubmit or a tool event instead.`;
}

/** Warnings for a person about an outcome. */
export function warningsOf(
  event: HookEvent,
  { warnings, additionalContext }: HookOutcome,
): readonly string[] {
  const isDropped = Boolean(additionalContext) && TEXT_IS_DROPPED.has(event);
  return isDropped ? [...warnings, droppedAt(event)] : warnings;
}
