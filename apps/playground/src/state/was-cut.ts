import type { AgentHost } from "../agent-host.ts";

/** Time for a page that was just left, as by a reload, to let go of its sessions. In milliseconds. */
const LEAVING_MS = 300;
const STEP_MS = 30;

/** Reports whether a stored session ends in the middle of a turn that nobody works on: its page was closed meanwhile. */
export async function wasCut(
  host: Pick<AgentHost, "listSessions" | "heldSessions">,
  id: string,
): Promise<boolean> {
  const headers = await host.listSessions();
  if (headers.find((header) => header.id === id)?.state !== "open") return false;
  for (let waited = 0; waited < LEAVING_MS; waited += STEP_MS) {
    if (!(await host.heldSessions()).has(id)) return true;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  return false;
}
