import { createCell, type Readable, runningTurn, sessionStore } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";

/** The present activity of a session; an idle one has none. */
export type Activity = "running" | "waiting";

/** Activities of this page's sessions, the current one and those in the background. */
export class Activities {
  readonly #bySession = createCell<ReadonlyMap<string, Activity>>(new Map());

  /** By id, without idle sessions. */
  get bySession(): Readable<ReadonlyMap<string, Activity>> {
    return this.#bySession;
  }

  /** Reads what a session is doing. */
  note(session: InteractiveSession): void {
    this.#set(session.sessionId, activityOf(session));
  }

  /** The session is no longer this page's. */
  forget(id: string): void {
    this.#set(id, undefined);
  }

  #set(id: string, activity: Activity | undefined): void {
    const before = this.#bySession.get();
    if (before.get(id) === activity) return;
    const next = new Map(before);
    if (activity) next.set(id, activity);
    else next.delete(id);
    this.#bySession.set(next);
  }
}

function activityOf(session: InteractiveSession): Activity | undefined {
  const view = sessionStore(session).get();
  if (view.requests.length > 0) return "waiting";
  return runningTurn(view) || view.agents.length > 0 ? "running" : undefined;
}
