import type { PluginRun } from "./plugin.ts";

/** Which attempt of which run a record is about. */
export interface RunFacts {
  runId: string;
  /** The innermost agent of the run's owners. */
  agentId: string;
  provider: string;
  model: string;
  /** From 1. */
  attempt: number;
}

export function runFacts(run: PluginRun): RunFacts {
  const { runId, provider, model, attempt } = run;
  return { runId, agentId: agentOf(run), provider, model, attempt };
}

export function agentOf({ ownerPath }: PluginRun): string {
  return ownerPath.findLast(({ ownerType }) => ownerType === "agent")?.ownerId ?? "";
}
