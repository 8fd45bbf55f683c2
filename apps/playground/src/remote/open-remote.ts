import { sessionStore } from "@robota/react/store";
import type { SessionEvent } from "@robota/runtime";
import type { RemoteSession } from "@robota/runtime/transports";
import { mayChangeFiles } from "../state/file-events.ts";
import { openOn } from "./server-access.ts";
import { refreshServerSoon } from "./server-lists.ts";

/** Events that change the list of a server's sessions. */
const listed: readonly SessionEvent["type"][] = [
  "turn_start",
  "turn_end",
  "name_change",
  "permission_request",
  "permission_decision",
];

/**
 * Opens a session of a server, whose list follows it.
 * @param onFiles called when its files may have changed
 * @throws as `openOn`
 */
export async function openRemote(
  server: string,
  id: string | undefined,
  onFiles: () => void,
): Promise<RemoteSession> {
  const session = await openOn(server, id);
  sessionStore(session).onEvents((events) => {
    if (events.some(({ type }) => listed.includes(type))) refreshServerSoon(server);
    if (mayChangeFiles(events)) onFiles();
  });
  refreshServerSoon(server);
  // Without a network, it could not be loaded.
  import("./connection-notice.tsx").catch(() => undefined);
  return session;
}
