import { useCurrentSession, usePage } from "../state/page-context.ts";
import { isNew } from "../state/page-state.ts";
import { connectedProvider } from "./connected-provider.ts";
import type { Connection } from "./connection.ts";
import { chooseConnection } from "./connections.ts";
import { learnWindow } from "./session-providers.ts";

/** Returns the way to a connection: for the session that is open, recorded in its log, and for new ones. */
export function useConnect(): (connection: Connection) => Promise<void> {
  const page = usePage();
  const { local } = useCurrentSession();
  return async (connection) => {
    chooseConnection(connection);
    learnWindow(connection);
    if (!local) return;
    // A new session has no log in which a switch would make sense.
    if (isNew(local) && !local.isExecuting()) await page.open();
    else await local.setProvider(connectedProvider(connection));
  };
}

/** The provider and the model of the next turn, and whether they are what the session has recorded. */
export function useCurrentModel(): { provider: string; model: string } | undefined {
  const { local } = useCurrentSession();
  return local?.getModel();
}
