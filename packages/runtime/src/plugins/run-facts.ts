import type { PluginRun } from "./plugin.ts";

/** The run and attempt that a record is about. */
export interface RunFacts {
  runId: string;
  /** The innermost agent of the run's owners. */
  agentId: string;
  provider: string;
  model: string;
  /** Number of the attempt, from 1. */
  attempt: number;
}

export function runFacts(run: PluginRun): RunFacts {
  const { runId, provider, model, attempt } = run;
  return { runId, agentId: agentOf(run), provider, model, attempt };
}

export function agentOf({ ownerPath }: PluginRun): string {
  return ownerPath.findLast(({ ownerType }) => ownerType === "agent")?.ownerId ?? "";
}
