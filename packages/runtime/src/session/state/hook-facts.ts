import { defined } from "../../defined.ts";
import type { SessionEventOf } from "../log/events.ts";

/** The part of a hook's run that the history shows. */
export function hookFacts({ event, hook, outcome, layer }: SessionEventOf<"hook_run">): object {
  return defined({ event, hook, outcome, layer });
}
