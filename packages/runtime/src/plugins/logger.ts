import { errorFacts } from "../errors.ts";
import { redactValue } from "../messages/redact.ts";

/** From the most verbose to the least; `silent` suppresses everything. */
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogThreshold = (typeof LOG_LEVELS)[number];
export type LogLevel = Exclude<LogThreshold, "silent">;

/** Facts beside a message. */
export type LogData = Readonly<Record<string, unknown>>;

/** A sink for log messages to operators. */
export interface Logger {
  debug(message: string, data?: LogData): void;
  info(message: string, data?: LogData): void;
  warn(message: string, data?: LogData): void;
  error(message: string, data?: LogData): void;
}

/** Reports whether a message of `level` passes `threshold`. */
export function isLogged(level: LogLevel, threshold: LogThreshold): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}

export interface ConsoleLoggerOptions {
  /** `info` when omitted. */
  level?: LogThreshold | undefined;
  /** Texts to redact, besides whatever looks like a secret. */
  secrets?: readonly string[] | undefined;
}

/** Writes to the host's console, without secrets. */
export class ConsoleLogger implements Logger {
  readonly #level: LogThreshold;
  readonly #secrets: readonly string[];

  constructor({ level = "info", secrets = [] }: ConsoleLoggerOptions = {}) {
    this.#level = level;
    this.#secrets = secrets;
  }

  debug(message: string, data?: LogData): void {
    this.#write("debug", message, data);
  }

  info(message: string, data?: LogData): void {
    this.#write("info", message, data);
  }

  warn(message: string, data?: LogData): void {
    this.#write("warn", message, data);
  }

  error(message: string, data?: LogData): void {
    this.#write("error", message, data);
  }

  #write(level: LogLevel, message: string, data: LogData | undefined): void {
    if (!isLogged(level, this.#level)) return;
    const safe = [message, ...(data ? [data] : [])].map((part) => redactValue(part, this.#secrets));
    console[level](...safe);
  }
}

/** Says nothing. */
export class SilentLogger implements Logger {
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
}

/** The code, message and hint of an error, as data of a log message. */
export function errorData(error: unknown): LogData {
  return { ...errorFacts(error) };
}
