import { createCell, sessionStore } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";
import type { PageState } from "../state/page-state.ts";

/** The session whose settings were changed since it was opened. */
export const staleSession = createCell<InteractiveSession | undefined>(undefined);

/** Opens the session again, so that changed settings are in force. @throws while it works: it would go on as it is */
export async function reopen(page: PageState, session: InteractiveSession): Promise<void> {
  if (session.isExecuting())
    throw new Error("The turn is still running. Stop it first, or wait for its end.");
  if (sessionStore(session).get().agents.length > 0)
    throw new Error("Agents are still at work in the background. Stop them first, or wait.");
  staleSession.set(undefined);
  const isKept = session.getFullHistory().length > 0;
  await page.open(isKept ? session.sessionId : undefined);
}
