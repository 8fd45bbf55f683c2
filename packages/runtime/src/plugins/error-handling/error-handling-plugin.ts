import { type ErrorFacts, errorFacts } from "../../errors.ts";
import { redact } from "../../messages/redact.ts";
import { ConsoleLogger, type Logger } from "../logger.ts";
import type {
  BeforeRunDecision,
  ErrorDecision,
  Plugin,
  PluginRun,
  PluginRunResult,
} from "../plugin.ts";
import { type RunFacts, runFacts } from "../run-facts.ts";
import { circuitBreaker, type CircuitBreakerOptions } from "./circuit-breaker.ts";
import type { ErrorStrategy } from "./error-strategy.ts";
import { exponentialBackoff, type ExponentialBackoffOptions } from "./exponential-backoff.ts";

/** A failed attempt, and the plugin's decision. */
export interface HandledError extends RunFacts {
  /** Milliseconds since the epoch. */
  time: number;
  error: ErrorFacts;
  /** Milliseconds; there when the run was tried again. */
  retryAfterMs?: number;
}

/**
 * `simple`: only logs. `silent`: does nothing; the run still ends with its error. `exponential-backoff` and
 * `circuit-breaker` have their options beside the name. Or a custom strategy.
 */
export type ErrorHandlingPluginOptions = (
  | { strategy?: "simple" | "silent" | ErrorStrategy | undefined }
  | ({ strategy: "exponential-backoff" } & ExponentialBackoffOptions)
  | ({ strategy: "circuit-breaker" } & CircuitBreakerOptions)
) & {
  /** Receives every failed attempt, unless the strategy is `silent`; the console by default. */
  logger?: Logger | undefined;
};

/** Failed attempts that are remembered. */
const REMEMBERED = 100;

/**
 * Decides how to proceed after a failed run. One agent may combine several, such as a breaker and a back-off: a retry
 * passes the breaker like any other run.
 */
export class ErrorHandlingPlugin implements Plugin {
  readonly name = "error-handling";
  readonly category = "error_handling";
  readonly priority = "high";
  readonly strategy: ErrorStrategy;
  readonly #logger: Logger;
  #errors: readonly HandledError[] = [];

  constructor(options: ErrorHandlingPluginOptions = {}) {
    this.strategy = strategyOf(options);
    this.#logger = options.logger ?? new ConsoleLogger();
  }

  /** The last hundred failed attempts, oldest first. */
  get errors(): readonly HandledError[] {
    return this.#errors;
  }

  beforeRun(run: PluginRun): BeforeRunDecision | void {
    return this.strategy.beforeRun?.(run);
  }

  onRefused(run: PluginRun): void {
    this.strategy.onRefused?.(run);
  }

  afterRun(run: PluginRun, result: PluginRunResult): void {
    this.strategy.afterRun?.(run, result);
  }

  onError(run: PluginRun, error: Error): ErrorDecision | void {
    const decision = this.strategy.onError?.(run, error);
    const retry =
      decision && "retryAfterMs" in decision ? { retryAfterMs: decision.retryAfterMs } : {};
    const facts = errorFacts(error);
    facts.message = redact(facts.message);
    const handled = { time: Date.now(), ...runFacts(run), error: facts, ...retry };
    this.#errors = [...this.#errors, handled].slice(-REMEMBERED);
    if (this.strategy !== SILENT) {
      this.#logger.error(`Attempt ${run.attempt} of run ${run.runId} failed`, {
        ...facts,
        ...retry,
      });
    }
    return decision;
  }
}

const SIMPLE: ErrorStrategy = { name: "simple" };
const SILENT: ErrorStrategy = { name: "silent" };

function strategyOf(options: ErrorHandlingPluginOptions): ErrorStrategy {
  switch (options.strategy) {
    case undefined:
    case "simple":
      return SIMPLE;
    case "silent":
      return SILENT;
    case "exponential-backoff":
      return exponentialBackoff(options);
    case "circuit-breaker":
      return circuitBreaker(options);
    default:
      return options.strategy;
  }
}
