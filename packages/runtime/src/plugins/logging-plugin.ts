import { defined } from "../defined.ts";
import { contentText } from "../messages/message.ts";
import { redactValue } from "../messages/redact.ts";
import type { ToolResult } from "../tools/tool.ts";
import { errorData, isLogged, type LogData, type LogLevel, type LogThreshold } from "./logger.ts";
import type { Plugin, PluginRun, PluginRunResult, PluginToolCall } from "./plugin.ts";
import type { RecordStore } from "./records/record-store.ts";
import { agentOf } from "./run-facts.ts";

/** Limit for texts in a log, in characters. */
const MAX_TEXT = 2000;

/** One line of a log, without secrets. */
export interface LogRecord {
  /** Milliseconds since the epoch. */
  time: number;
  level: LogLevel;
  message: string;
  runId: string;
  agentId: string;
  data: LogData;
}

export interface LoggingPluginOptions {
  /** `info` by default: runs. `debug` adds tools, `warn` only failures and refusals, `error` only failures. */
  level?: LogThreshold | undefined;
  /** `text` when omitted. `json` is one object in a line. */
  format?: "json" | "text" | undefined;
  /** Gets each line; the console when omitted, unless there is a `storage`. */
  write?: ((line: string, level: LogLevel) => void) | undefined;
  /** Keeps the records as well. */
  storage?: RecordStore<LogRecord> | undefined;
  /** Also logs the texts of people, models and tools, at level `debug`; `false` by default. */
  content?: boolean | undefined;
  /** Texts to redact, besides whatever looks like a secret. */
  secrets?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  now?: (() => number) | undefined;
}

/** Logs its agents' runs. */
export class LoggingPlugin implements Plugin {
  readonly name = "logging";
  readonly category = "logging";
  readonly priority = "low";
  readonly #options: LoggingPluginOptions;
  readonly #level: LogThreshold;
  readonly #write: ((line: string, level: LogLevel) => void) | undefined;
  readonly #now: () => number;

  constructor(options: LoggingPluginOptions = {}) {
    this.#options = options;
    this.#level = options.level ?? "info";
    this.#write =
      options.write ?? (options.storage ? undefined : (line, level) => console[level](line));
    this.#now = options.now ?? Date.now;
  }

  beforeRun(run: PluginRun): void {
    const { provider, model, attempt } = run;
    this.#log("info", "run started", run, () => ({ provider, model, attempt }));
    this.#logContent("input", run, () => contentText(run.input));
  }

  afterRun(run: PluginRun, result: PluginRunResult): void {
    const message = result.interrupted ? "run interrupted" : "run completed";
    this.#log("info", message, run, () => factsOf(result));
    this.#logContent("answer", run, () => result.text);
  }

  onRefused(run: PluginRun, error: Error): void {
    this.#log("warn", "run refused", run, () => errorData(error));
  }

  onError(run: PluginRun, error: Error, result: PluginRunResult): void {
    this.#log("error", "run failed", run, () => ({ ...errorData(error), ...factsOf(result) }));
  }

  onToolStart(run: PluginRun, { toolCallId, name, args }: PluginToolCall): void {
    const content = this.#options.content ? { args } : {};
    this.#log("debug", "tool started", run, () => ({ tool: name, toolCallId, ...content }));
  }

  afterToolExecution(
    run: PluginRun,
    { toolCallId, name }: PluginToolCall,
    { success, errorCode, output }: ToolResult,
    durationMs: number,
  ): void {
    const message = success ? "tool completed" : "tool failed";
    const level = success ? "debug" : "warn";
    this.#log(level, message, run, () =>
      defined({
        tool: name,
        toolCallId,
        durationMs: Math.round(durationMs),
        errorCode,
      }),
    );
    this.#logContent("output", run, () => contentText(output));
  }

  async dispose(): Promise<void> {
    await this.#options.storage?.dispose();
  }

  #logContent(what: string, run: PluginRun, text: () => string): void {
    if (!this.#options.content) return;
    this.#log("debug", what, run, () => ({ text: text() }));
  }

  #log(level: LogLevel, message: string, run: PluginRun, data: () => LogData): void {
    if (!isLogged(level, this.#level)) return;
    const record: LogRecord = {
      time: this.#now(),
      level,
      message,
      runId: run.runId,
      agentId: agentOf(run),
      data: this.#safe(data()),
    };
    this.#options.storage?.add(record);
    const { format = "text" } = this.#options;
    this.#write?.(format === "json" ? JSON.stringify(record) : textLine(record), level);
  }

  /** Redacts before it cuts, so that no half of a secret stays. */
  #safe(data: LogData): LogData {
    const safe = Object.entries(redactValue(data, this.#options.secrets) ?? {});
    return Object.fromEntries(safe.map(([name, value]) => [name, shortened(value)]));
  }
}

function shortened(value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text === undefined || text.length <= MAX_TEXT) return value;
  return `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}

/** One line of printable text, whatever the values contain. */
function textLine({ time, level, message, runId, data }: LogRecord): string {
  const head = `${new Date(time).toISOString()} ${level.toUpperCase().padEnd(5)} ${message}`;
  const facts = Object.entries({ runId, ...data }).map(
    ([name, value]) => `${name}=${isWord(value) ? value : quoted(value)}`,
  );
  return [head, ...facts].join(" ");
}

function isWord(value: unknown): value is string | number | boolean {
  if (typeof value === "string") return /^[\w.:/-]+$/.test(value);
  return typeof value === "number" || typeof value === "boolean";
}

/** JSON with all control characters escaped, including those that JSON allows. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function factsOf({ rounds, usage, cost, durationMs }: PluginRunResult): LogData {
  return defined({
    rounds,
    durationMs: Math.round(durationMs),
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cost,
  });
}
