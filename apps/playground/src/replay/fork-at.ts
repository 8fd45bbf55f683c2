import type { InteractiveSession } from "@robota/runtime";
import type { AgentHost } from "../agent-host.ts";

export interface ForkPoint {
  sessionId: string;
  /** Number of the last event that the fork has. */
  seq: number;
  /** The session itself, when it is open in this tab. */
  open: InteractiveSession | undefined;
}

/** Makes a session from the past of another, with its own copy of the files, and resolves to its id. */
export async function forkAt(
  host: AgentHost,
  { sessionId, seq, open }: ForkPoint,
): Promise<string> {
  const session = open ?? (await host.openSession(sessionId));
  try {
    const fork = await session.fork(seq);
    await fork.shutdown();
    return fork.sessionId;
  } finally {
    if (!open) await session.shutdown();
  }
}
