import { createCell } from "@robota/react/store";
import type { SessionSummary } from "@robota/runtime/transports";
import { sessionsOn } from "./server-access.ts";
import { servers } from "./servers.ts";

/** The sessions of a server as they were last listed, or why they can't be. */
export type ServerList = { sessions: readonly SessionSummary[] } | { error: Error };

/** Lists by the server's address. Those without a list were not asked since the page was loaded. */
export const serverLists = createCell<ReadonlyMap<string, ServerList>>(new Map());

const REFRESH_MS = 300;
const timers = new Map<string, ReturnType<typeof setTimeout>>();

function keep(server: string, list: ServerList): void {
  serverLists.set(new Map(serverLists.get()).set(server, list));
}

/** Asks a server for its sessions. */
export async function refreshServer(server: string): Promise<void> {
  try {
    keep(server, { sessions: await sessionsOn(server) });
  } catch (cause) {
    keep(server, { error: cause instanceof Error ? cause : new Error(String(cause)) });
  }
}

/** The server writes its list shortly after what changes it. */
export function refreshServerSoon(server: string): void {
  clearTimeout(timers.get(server));
  timers.set(
    server,
    setTimeout(() => void refreshServer(server), REFRESH_MS),
  );
}

/** Connects to a server, which is known from then on. @throws as `sessionsOn` */
export async function connectServer(server: string): Promise<void> {
  keep(server, { sessions: await sessionsOn(server) });
  if (!servers.get().includes(server)) servers.set([...servers.get(), server]);
}

export function forgetServer(server: string): void {
  servers.set(servers.get().filter((each) => each !== server));
  const rest = new Map(serverLists.get());
  rest.delete(server);
  serverLists.set(rest);
}
