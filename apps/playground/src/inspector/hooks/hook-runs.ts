import type { SessionEventOf } from "@robota/runtime/sessions";
import type { EventFold } from "../use-event-fold.ts";

export type HookRunEvent = SessionEventOf<"hook_run">;

/** Every run of a hook, oldest first. */
export const hookRuns: EventFold<HookRunEvent[]> = {
  create: () => [],
  apply(runs, event) {
    if (event.type !== "hook_run") return false;
    runs.push(event);
    return true;
  },
};

/** JSON with indentation; a text that was shortened, and is no JSON any more, as it is. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
