import { costOf, type ModelDefinition } from "../context/models.ts";
import { addUsage, noUsage, tokensOf } from "../context/usage.ts";
import type { TokenUsage } from "../messages/message.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { Plugin, PluginRun, PluginRunResult, PluginToolCall } from "./plugin.ts";
import { MemoryRecordStore } from "./records/memory-record-store.ts";
import { type RecordStore, recordsBetween, type TimeSpan } from "./records/record-store.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";

/** Usage of one attempt of a run. */
export interface UsageRecord extends RunFacts {
  /** Time of its end. Milliseconds since the epoch. */
  time: number;
  usage: TokenUsage;
  /** US dollars; not there when the model's prices are not known. */
  cost?: number;
  /** Provider calls. */
  rounds: number;
  /** Calls of each tool. */
  tools: Record<string, ToolUsage>;
}

export interface ToolUsage {
  calls: number;
  failures: number;
  /** Milliseconds of all calls together. */
  durationMs: number;
}

export interface UsageTotals {
  runs: number;
  /** Provider calls. */
  rounds: number;
  tokens: TokenUsage;
  /** US dollars of the attempts whose prices are known. */
  cost: number;
  /** Attempts that used tokens of a model whose price is not known; `cost` leaves them out. */
  unpriced: number;
}

export interface UsageSummary extends UsageTotals {
  byModel: Record<string, UsageTotals>;
  byTool: Record<string, ToolUsage>;
}

export interface UsageWindow extends UsageSummary {
  /** Milliseconds since the epoch; the next window begins `windowMs` later. */
  from: number;
}

export interface UsageFilter extends TimeSpan {
  agentId?: string;
  model?: string;
}

export interface UsagePluginOptions {
  /** Record storage; by default the newest 10,000 in memory. */
  storage?: RecordStore<UsageRecord> | undefined;
  /** Models with prices that the catalog lacks. */
  models?: readonly ModelDefinition[] | undefined;
  /** Milliseconds since the epoch. */
  now?: (() => number) | undefined;
}

/** Counts tokens, dollars and tool calls of every attempt, also of one that failed. */
export class UsagePlugin implements Plugin {
  readonly name = "usage";
  readonly category = "monitoring";
  readonly priority = "low";
  readonly #storage: RecordStore<UsageRecord>;
  readonly #models: readonly ModelDefinition[];
  readonly #now: () => number;
  readonly #tools = new WeakMap<PluginRun, Record<string, ToolUsage>>();

  constructor(options: UsagePluginOptions = {}) {
    this.#storage = options.storage ?? new MemoryRecordStore();
    this.#models = options.models ?? [];
    this.#now = options.now ?? Date.now;
  }

  beforeRun(run: PluginRun): void {
    this.#tools.set(run, Object.create(null));
  }

  afterToolExecution(
    run: PluginRun,
    { name }: PluginToolCall,
    { success }: ToolResult,
    durationMs: number,
  ): void {
    const tools = this.#tools.get(run);
    if (tools) addTool(tools, name, { calls: 1, failures: success ? 0 : 1, durationMs });
  }

  afterRun(run: PluginRun, result: PluginRunResult): void {
    this.#record(run, result);
  }

  onError(run: PluginRun, _error: Error, result: PluginRunResult): void {
    this.#record(run, result);
  }

  /** Total usage in a span of time, by an agent or of a model. */
  async summary(filter: UsageFilter = {}): Promise<UsageSummary> {
    return summarize(await this.#select(filter));
  }

  /** Usage in each window of `windowMs` milliseconds, counted from the epoch; windows without a run are left out. */
  async windows(windowMs: number, filter: UsageFilter = {}): Promise<UsageWindow[]> {
    const records = await this.#select(filter);
    const windows = Map.groupBy(records, ({ time }) => Math.floor(time / windowMs) * windowMs);
    return [...windows]
      .toSorted(([a], [b]) => a - b)
      .map(([from, members]) => ({ from, ...summarize(members) }));
  }

  dispose(): Promise<void> {
    return this.#storage.dispose();
  }

  async #select({ agentId, model, ...span }: UsageFilter): Promise<UsageRecord[]> {
    const records = await recordsBetween(this.#storage, span);
    return records.filter(
      (record) =>
        (agentId === undefined || record.agentId === agentId) &&
        (model === undefined || record.model === model),
    );
  }

  #record(run: PluginRun, { usage, rounds, cost: known }: PluginRunResult): void {
    const cost = costOf(usage, run.model, this.#models) ?? known;
    const tools = { ...this.#tools.get(run) };
    const record = { time: this.#now(), ...runFacts(run), usage: { ...usage }, rounds, tools };
    this.#storage.add(cost === undefined ? record : { ...record, cost });
  }
}

function summarize(records: readonly UsageRecord[]): UsageSummary {
  const byModel: Record<string, UsageTotals> = Object.create(null);
  for (const [model, members] of Map.groupBy(records, (record) => record.model))
    byModel[model] = totals(members);
  const byTool: Record<string, ToolUsage> = Object.create(null);
  for (const { tools } of records)
    for (const [name, used] of Object.entries(tools)) addTool(byTool, name, used);
  return { ...totals(records), byModel, byTool };
}

function totals(records: readonly UsageRecord[]): UsageTotals {
  const tokens = noUsage();
  const sum = { rounds: 0, cost: 0, unpriced: 0 };
  for (const { usage, rounds, cost } of records) {
    addUsage(tokens, usage);
    sum.rounds += rounds;
    sum.cost += cost ?? 0;
    if (cost === undefined && tokensOf(usage) > 0) sum.unpriced += 1;
  }
  return { runs: new Set(records.map(({ runId }) => runId)).size, tokens, ...sum };
}

function addTool(tools: Record<string, ToolUsage>, name: string, used: ToolUsage): void {
  const total = (tools[name] ??= { calls: 0, failures: 0, durationMs: 0 });
  total.calls += used.calls;
  total.failures += used.failures;
  total.durationMs += used.durationMs;
}
