import { moveFromServer, moveStoredSession, moveToServer } from "@robota/runtime/transports";
import type { AgentHost } from "../agent-host.ts";
import { WORKSPACE_ROOT } from "../constants.ts";
import { noteArrival } from "../state/arrivals.ts";
import type { PageState } from "../state/page-state.ts";
import type { MoveStep } from "./move-steps.tsx";
import { accessTo } from "./server-access.ts";

export interface MoveContext {
  page: PageState;
  host: AgentHost;
  /** The session's id where it is now. */
  id: string;
  onStep: (step: MoveStep) => void;
}

/** Moves a session of this browser to a server, with what it does and waits for, and shows it there. */
export async function continueOn(
  server: string,
  { page, host, id, onStep }: MoveContext,
  files: "workspace" | "changed",
): Promise<void> {
  onStep("prepare");
  const access = watched(accessTo(server), (path) => {
    // The token's scopes were asked for last: the session stops next.
    if (path.endsWith("/tickets")) onStep("stop");
    if (path.endsWith("/log")) onStep("send");
  });
  const options = { files, timeoutMs: access.timeoutMs, keepId: true };
  const open = page.openedHere(id);
  const { sessionId } = open
    ? await moveToServer(open, access, options)
    : await moveStoredSession(host.platform, id, access, options);
  onStep("open");
  await page.release(id);
  await page.openRemote(server, sessionId);
}

/** Moves a session from a server to this browser, where it goes on, and shows it. */
export async function bringBack(
  server: string,
  { page, host, id, onStep }: MoveContext,
): Promise<void> {
  onStep("prepare");
  const access = watched(accessTo(server), (path) => {
    if (path.endsWith("/hand-over")) onStep("stop");
    if (path.endsWith("/log")) onStep("send");
  });
  const former = page.sessions.get().find(({ handedOverTo }) => handedOverTo?.sessionId === id);
  const isOpen = former && page.openedHere(former.id) !== undefined;
  if (former) await page.release(former.id);
  try {
    const here = await moveFromServer(host.platform, id, access, {
      cwd: WORKSPACE_ROOT,
      timeoutMs: access.timeoutMs,
    });
    onStep("open");
    noteArrival(here, "elsewhere");
    await page.open(here, { cut: "continue" });
  } catch (error) {
    if (isOpen) await page.open(former.id);
    throw error;
  }
}

/** The same access; the path of each request is reported as it is sent. */
function watched(access: ReturnType<typeof accessTo>, onRequest: (path: string) => void) {
  const watchedFetch: typeof fetch = (input, init) => {
    const url = input instanceof Request ? input.url : input;
    onRequest(new URL(url).pathname);
    return fetch(input, init);
  };
  return { ...access, fetch: watchedFetch };
}
