import { type SessionConnection, sessionStore } from "@robota/react/store";
import type { SessionEvent } from "@robota/runtime";
import { beginsWithCopy } from "../files/own-copy.ts";

const CHANGING: ReadonlySet<SessionEvent["type"]> = new Set(["tool_end", "turn_end", "rewind"]);

/** Reports whether files that the page can't watch may be others after these events. */
export function mayChangeFiles(events: readonly SessionEvent[]): boolean {
  return events.some(
    (event) =>
      CHANGING.has(event.type) || (event.type === "note" && event.kind === "files-restored"),
  );
}

/** The same for a session of this page, whose files can be watched unless it has a copy of its own. */
export function mayChangeCopy(
  session: SessionConnection,
  events: readonly SessionEvent[],
): boolean {
  return mayChangeFiles(events) && beginsWithCopy(sessionStore(session).rows.get());
}
