import { errorFacts } from "../errors.ts";
import { hasErrorCode, type ToolErrorCode } from "../messages/tool-error-code.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { Plugin, PluginRun, PluginRunResult, PluginToolCall } from "./plugin.ts";
import { MemoryRecordStore } from "./records/memory-record-store.ts";
import { type RecordStore, recordsBetween, type TimeSpan } from "./records/record-store.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";

export type ExecutionOutcome = "success" | "error" | "interrupted" | "refused";

/** The outcome of one attempt of a run, or of one tool call. */
export interface ExecutionRecord extends RunFacts {
  /** Time of its end. Milliseconds since the epoch. */
  time: number;
  kind: "run" | "tool";
  /** The tool, or the model of a run. */
  label: string;
  outcome: ExecutionOutcome;
  /** Code of an error, a refusal or a failed tool. */
  errorCode?: string;
}

export interface ExecutionCounts {
  count: number;
  /**
   * Share of successes, from 0 to 1, among those that ended by themselves; absent without any. Excludes interrupted and
   * refused ones.
   */
  successRate?: number;
  outcomes: Record<ExecutionOutcome, number>;
  errorCodes: Record<string, number>;
}

export interface ExecutionSummary {
  /** Each run once, by how its last attempt ended. */
  runs: ExecutionCounts;
  /** Attempts after the first ones. */
  retries: number;
  byModel: Record<string, ExecutionCounts>;
  byTool: Record<string, ExecutionCounts>;
}

export interface ExecutionAnalyticsPluginOptions {
  /** Record storage; by default the newest 10,000 in memory. */
  storage?: RecordStore<ExecutionRecord> | undefined;
  /** Milliseconds since the epoch. */
  now?: (() => number) | undefined;
}

/** Counts how runs and tool calls end. */
export class ExecutionAnalyticsPlugin implements Plugin {
  readonly name = "execution-analytics";
  readonly category = "analytics";
  readonly priority = "low";
  readonly #storage: RecordStore<ExecutionRecord>;
  readonly #now: () => number;

  constructor(options: ExecutionAnalyticsPluginOptions = {}) {
    this.#storage = options.storage ?? new MemoryRecordStore();
    this.#now = options.now ?? Date.now;
  }

  afterRun(run: PluginRun, { interrupted }: PluginRunResult): void {
    this.#add(run, "run", run.model, interrupted ? "interrupted" : "success");
  }

  onError(run: PluginRun, error: Error): void {
    this.#add(run, "run", run.model, "error", errorFacts(error).code);
  }

  onRefused(run: PluginRun, error: Error): void {
    this.#add(run, "run", run.model, "refused", errorFacts(error).code);
  }

  afterToolExecution(run: PluginRun, { name }: PluginToolCall, result: ToolResult): void {
    const { success, errorCode = "tool_failed" satisfies ToolErrorCode } = result;
    if (success) this.#add(run, "tool", name, "success");
    else this.#add(run, "tool", name, toolOutcome(result), errorCode);
  }

  async summary(span: TimeSpan = {}): Promise<ExecutionSummary> {
    const records = await recordsBetween(this.#storage, span);
    const attempts = records.filter(({ kind }) => kind === "run");
    // Later attempts of a run take the place of earlier ones.
    const last = new Map(attempts.map((record) => [record.runId, record]));
    const runs = [...last.values()];
    return {
      runs: counts(runs),
      retries: attempts.length - runs.length,
      byModel: byLabel(runs),
      byTool: byLabel(records.filter(({ kind }) => kind === "tool")),
    };
  }

  dispose(): Promise<void> {
    return this.#storage.dispose();
  }

  #add(
    run: PluginRun,
    kind: ExecutionRecord["kind"],
    label: string,
    outcome: ExecutionOutcome,
    errorCode?: string,
  ): void {
    const record = { time: this.#now(), ...runFacts(run), kind, label, outcome };
    this.#storage.add(errorCode === undefined ? record : { ...record, errorCode });
  }
}

function toolOutcome(result: ToolResult): ExecutionOutcome {
  if (hasErrorCode(result, "aborted")) return "interrupted";
  const isRefused = hasErrorCode(result, "permission_denied", "hook_blocked", "plugin_refused");
  return isRefused ? "refused" : "error";
}

function byLabel(records: readonly ExecutionRecord[]): Record<string, ExecutionCounts> {
  const groups: Record<string, ExecutionCounts> = Object.create(null);
  for (const [label, members] of Map.groupBy(records, (record) => record.label))
    groups[label] = counts(members);
  return groups;
}

function counts(records: readonly ExecutionRecord[]): ExecutionCounts {
  const outcomes = { success: 0, error: 0, interrupted: 0, refused: 0 };
  const errorCodes: Record<string, number> = Object.create(null);
  for (const { outcome, errorCode } of records) {
    outcomes[outcome] += 1;
    if (errorCode !== undefined) errorCodes[errorCode] = (errorCodes[errorCode] ?? 0) + 1;
  }
  const ended = outcomes.success + outcomes.error;
  const all = { count: records.length, outcomes, errorCodes };
  return ended === 0 ? all : { ...all, successRate: outcomes.success / ended };
}
