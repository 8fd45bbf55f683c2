import { moveFromServer, moveStoredSession, moveToServer } from "@robota/runtime/transports";
import type { AgentHost } from "../agent-host.ts";
import { WORKSPACE_ROOT } from "../constants.ts";
import type { PageState } from "../state/page-state.ts";
import { accessTo } from "./server-access.ts";

/** Moves a session of this browser to a server, with what it does and waits for, and shows it there. */
export async function continueOn(
  server: string,
  { page, host, id }: { page: PageState; host: AgentHost; id: string },
  files: "workspace" | "changed",
): Promise<void> {
  const access = accessTo(server);
  const { timeoutMs } = access;
  const open = page.openedHere(id);
  const { sessionId } = open
    ? await moveToServer(open, access, { files, timeoutMs })
    : await moveStoredSession(host.platform, id, access, { files, timeoutMs });
  await page.release(id);
  await page.openRemote(server, sessionId);
}

/** Moves a session from a server to this browser, where it goes on, and shows it. */
export async function bringBack(
  server: string,
  { page, host, id }: { page: PageState; host: AgentHost; id: string },
): Promise<void> {
  const access = accessTo(server);
  const former = page.sessions.get().find(({ handedOverTo }) => handedOverTo?.sessionId === id);
  const isOpen = former && page.openedHere(former.id) !== undefined;
  if (former) await page.release(former.id);
  try {
    const here = await moveFromServer(host.platform, id, access, {
      cwd: WORKSPACE_ROOT,
      timeoutMs: access.timeoutMs,
    });
    await page.open(here, { cut: "continue" });
  } catch (error) {
    if (isOpen) await page.open(former.id);
    throw error;
  }
}
