import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { SessionState } from "../state/state.ts";
import type { CollectedAgent, CollectOptions } from "./delegation.ts";
import { startOf } from "./open-agents.ts";
import { runningAgents } from "./running-agents.ts";
import { type AgentSummary, readTranscripts, type TranscriptParts } from "./transcripts.ts";

export interface CollectParts extends TranscriptParts {
  readonly state: SessionState;
  readonly toolState: Map<string, unknown>;
}

/** The report of an agent in the background, also of an earlier page or process; `undefined` for an unknown id. */
export async function collect(
  parts: CollectParts,
  id: string,
  { waits, signal }: CollectOptions,
): Promise<CollectedAgent | undefined> {
  const running = runningAgents(parts.toolState);
  const report = running.report(id);
  if (report && !waits && running.has(id)) return { result: undefined };
  const result = report
    ? await Promise.race([report, abortOf(signal)])
    : await storedReport(parts, id);
  if (!result) return undefined;
  const open = startOf(parts.state.agents, id);
  if (open)
    await parts.log.commit({ type: "agent_collected", parentId: open.parentId, agentId: id });
  return { result };
}

function abortOf(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
  );
}

async function storedReport(parts: CollectParts, id: string): Promise<ToolResult | undefined> {
  if (!parts.hasStorage) return undefined;
  const transcripts = await readTranscripts(parts, runningAgents(parts.toolState));
  const found = transcripts.find((each) => each.id === id && each.isBackground);
  return found && resultOf(found);
}

/** The result of a call for an agent that has ended. */
function resultOf({ state, response, error }: Omit<AgentSummary, "usage">): ToolResult {
  if (state === "complete") return { success: true, output: response };
  const { message = "It was interrupted.", code = "agent_failed" satisfies ToolErrorCode } =
    error ?? {};
  return { success: false, output: response === "" ? message : response, errorCode: code };
}
