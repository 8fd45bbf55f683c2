import { replaySession } from "@robota/runtime";
import type { ReplayDivergence } from "@robota/runtime/sessions";
import type { AgentHost } from "../agent-host.ts";

/** The outcome of a check, for a person. */
export interface Verdict {
  isSame: boolean;
  text: string;
}

/** Runs a stored session again from its record, without a model, and compares every event with the recorded one. */
export async function verify(host: AgentHost, sessionId: string): Promise<Verdict> {
  try {
    const { events } = await replaySession({ storage: host.storage, sessionId }, host.platform);
    return { isSame: true, text: `Replay matches: all ${events.length} events are the same.` };
  } catch (error) {
    if (!isDivergence(error)) throw error;
    const place = error.path === "" ? "" : ` at ${error.path}`;
    return {
      isSame: false,
      text: `First difference: event ${error.seq} (${error.type})${place}. Recorded ${error.expected}, replayed ${error.found}.`,
    };
  }
}

/** By its code: the class would be part of the page's first load. */
function isDivergence(error: unknown): error is ReplayDivergence {
  return error instanceof Error && "code" in error && error.code === "REPLAY_DIVERGED";
}
