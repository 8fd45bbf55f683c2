import { defined } from "../defined.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { Plugin, PluginRun, PluginRunResult, PluginToolCall } from "./plugin.ts";
import { MemoryRecordStore } from "./records/memory-record-store.ts";
import { type RecordStore, recordsBetween, type TimeSpan } from "./records/record-store.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";

/** Durations in milliseconds. */
export interface PerformanceRecord extends RunFacts {
  /** Time of its end, since the epoch. */
  time: number;
  kind: "run" | "tool";
  /** The tool, or the model of a run. */
  label: string;
  durationMs: number;
  /** Time from the start of a run to its first text. */
  firstTextMs?: number;
  /** Memory in use at the end of a run, if the host tells. */
  memoryBytes?: number;
}

/** Milliseconds. Percentiles are durations that occurred: as many in a hundred took at most so long. */
export interface DurationStats {
  count: number;
  min: number;
  mean: number;
  p50: number;
  p95: number;
  max: number;
}

export interface PerformanceSummary {
  /** Attempts of runs; not there when there was none, as below. */
  runs?: DurationStats;
  firstText?: DurationStats;
  byModel: Record<string, DurationStats>;
  byTool: Record<string, DurationStats>;
  memory?: { lastBytes: number; maxBytes: number };
}

export interface PerformancePluginOptions {
  /** Record storage; by default the newest 10,000 in memory. */
  storage?: RecordStore<PerformanceRecord> | undefined;
  /** Returns the bytes in use, where the host can tell; called at the end of each run. */
  memory?: (() => number | undefined) | undefined;
  /** Milliseconds since the epoch. */
  now?: (() => number) | undefined;
}

/** Measures runs, their first text, and tools. */
export class PerformancePlugin implements Plugin {
  readonly name = "performance";
  readonly category = "performance";
  readonly priority = "low";
  readonly #storage: RecordStore<PerformanceRecord>;
  readonly #memory: () => number | undefined;
  readonly #now: () => number;
  readonly #texts = new WeakMap<PluginRun, { begun: number; firstTextMs?: number }>();

  constructor(options: PerformancePluginOptions = {}) {
    this.#storage = options.storage ?? new MemoryRecordStore();
    this.#memory = options.memory ?? (() => undefined);
    this.#now = options.now ?? Date.now;
  }

  beforeRun(run: PluginRun): void {
    this.#texts.set(run, { begun: performance.now() });
  }

  onStreamChunk(run: PluginRun, delta: string): void {
    // Rounds are parted by blank lines that no model wrote.
    if (delta.trim() === "") return;
    const text = this.#texts.get(run);
    if (text) text.firstTextMs ??= performance.now() - text.begun;
  }

  afterToolExecution(
    run: PluginRun,
    { name }: PluginToolCall,
    _result: ToolResult,
    durationMs: number,
  ): void {
    this.#add(run, { kind: "tool", label: name, durationMs });
  }

  afterRun(run: PluginRun, result: PluginRunResult): void {
    this.#addRun(run, result);
  }

  onError(run: PluginRun, _error: Error, result: PluginRunResult): void {
    this.#addRun(run, result);
  }

  async summary(span: TimeSpan = {}): Promise<PerformanceSummary> {
    const records = await recordsBetween(this.#storage, span);
    const runs = records.filter(({ kind }) => kind === "run");
    const summary: PerformanceSummary = {
      byModel: byLabel(runs),
      byTool: byLabel(records.filter(({ kind }) => kind === "tool")),
    };
    const ofRuns = durationStats(runs.map(({ durationMs }) => durationMs));
    if (ofRuns) summary.runs = ofRuns;
    const ofTexts = durationStats(runs.flatMap(({ firstTextMs }) => firstTextMs ?? []));
    if (ofTexts) summary.firstText = ofTexts;
    const bytes = runs.flatMap(({ memoryBytes }) => memoryBytes ?? []);
    const lastBytes = bytes.at(-1);
    if (lastBytes !== undefined) {
      const maxBytes = bytes.reduce((most, one) => Math.max(most, one));
      summary.memory = { lastBytes, maxBytes };
    }
    return summary;
  }

  dispose(): Promise<void> {
    return this.#storage.dispose();
  }

  #addRun(run: PluginRun, { durationMs }: PluginRunResult): void {
    const firstTextMs = this.#texts.get(run)?.firstTextMs;
    const memoryBytes = this.#memory();
    this.#add(
      run,
      defined({
        kind: "run",
        label: run.model,
        durationMs,
        firstTextMs,
        memoryBytes,
      }),
    );
  }

  #add(run: PluginRun, measured: Omit<PerformanceRecord, "time" | keyof RunFacts>): void {
    this.#storage.add({ time: this.#now(), ...runFacts(run), ...measured });
  }
}

function byLabel(records: readonly PerformanceRecord[]): Record<string, DurationStats> {
  const groups: Record<string, DurationStats> = Object.create(null);
  for (const [label, members] of Map.groupBy(records, (record) => record.label)) {
    const stats = durationStats(members.map(({ durationMs }) => durationMs));
    if (stats) groups[label] = stats;
  }
  return groups;
}

/** Undefined for no durations: nothing has no percentiles. */
export function durationStats(durations: readonly number[]): DurationStats | undefined {
  const sorted = durations.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return undefined;
  const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? max;
  const mean = sorted.reduce((sum, duration) => sum + duration, 0) / sorted.length;
  return { count: sorted.length, min, mean, p50: rank(0.5), p95: rank(0.95), max };
}
