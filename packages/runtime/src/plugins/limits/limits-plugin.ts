import { costOf, type ModelDefinition } from "../../context/models.ts";
import { CHARACTERS_PER_TOKEN, contentCharacters } from "../../context/tracker.ts";
import { tokensOf } from "../../context/usage.ts";
import { ConfigurationError, RateLimitError, RobotaError } from "../../errors.ts";
import type { BeforeRunDecision, Plugin, PluginRun, PluginRunResult } from "../plugin.ts";
import { createMeter, type LimitStrategy, type Meter, type Settle } from "./meter.ts";

export interface LimitsPluginOptions {
  /** `sliding-window` when omitted. */
  strategy?: LimitStrategy | undefined;
  /** Milliseconds that the limits below, except `costPerRun`, are for; 60,000 when omitted. */
  windowMs?: number | undefined;
  /** Provider calls. */
  requests?: number | undefined;
  /** Input and output tokens, including cached ones. */
  tokens?: number | undefined;
  /** US dollars. */
  cost?: number | undefined;
  /** US dollars of one run with all its attempts. */
  costPerRun?: number | undefined;
  /** Runs of one key share the limits; all of them do when omitted. */
  key?: ((run: PluginRun) => string) | undefined;
  /** Minimum estimate for a run; by default half its input's characters. */
  estimateTokens?: ((run: PluginRun) => number) | undefined;
  /** Models with prices that the catalog lacks. */
  models?: readonly ModelDefinition[] | undefined;
  /** Milliseconds that only go forward. */
  now?: (() => number) | undefined;
}

/** Sums of whole numbers are exact. */
const NANODOLLARS = 1e9;
const DEFAULT_WINDOW_MS = 60_000;
/** Number of keys above which a new one triggers a search for unused ones. */
const MANY_KEYS = 1000;

const UNITS = ["requests", "tokens", "cost"] as const;
type Unit = (typeof UNITS)[number];
type Amounts = Record<Unit, number>;
type Meters = ReadonlyMap<Unit, Meter>;

/**
 * Refuses runs beyond limits, before anything is sent: with a `RateLimitError` whose `retryAfterMs` says when it is
 * possible again, or with a `RobotaError` of code `LIMIT_EXCEEDED` when it never is.
 *
 * A run reserves one request and its estimate at its start, in one step, so that concurrent runs can't exceed a limit
 * together; its real usage replaces the reservation at its end, and may exceed a limit: later runs wait for it, but a
 * running one is not aborted. Agents that share one instance share its limits. Several instances, such as one for a
 * minute and one for a day, work side by side.
 */
export class LimitsPlugin implements Plugin {
  readonly name = "limits";
  readonly category = "limits";
  /** Runs after plugins that may refuse the run, before those that only watch it. */
  readonly priority = "normal";
  readonly #options: LimitsPluginOptions;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #meters = new Map<string, Meters>();
  readonly #taken = new WeakMap<PluginRun, ReadonlyMap<Unit, Settle>>();
  readonly #spent = new WeakMap<PluginRun, number>();

  /** @throws {ConfigurationError} when a limit is not a positive number */
  constructor(options: LimitsPluginOptions) {
    this.#options = options;
    this.#windowMs = options.windowMs ?? DEFAULT_WINDOW_MS;
    this.#now = options.now ?? (() => performance.now());
    const { requests, tokens, cost, costPerRun } = options;
    const limits = { requests, tokens, cost, costPerRun, windowMs: this.#windowMs };
    for (const [name, limit] of Object.entries(limits)) {
      if (limit === undefined || limit > 0) continue;
      throw new ConfigurationError(`The limit ${name} is ${limit}`, {
        hint: "Give a number above zero, or leave it out for no limit.",
      });
    }
  }

  beforeRun(run: PluginRun): BeforeRunDecision | void {
    const tokens = (this.#options.estimateTokens ?? estimateTokens)(run);
    const dollars = this.#price(run, tokens);
    if (dollars === undefined) return { refuse: unpriced(run.model) };
    const { costPerRun = Infinity } = this.#options;
    if ((this.#spent.get(run) ?? 0) + dollars > costPerRun)
      return { refuse: exceeded(`${costPerRun} US dollars for a run`) };

    const now = this.#now();
    const meters = this.#metersOf(run, now);
    const amounts = { requests: 1, tokens, cost: dollars * NANODOLLARS };
    let longest: { unit: Unit; waitMs: number } | undefined;
    for (const [unit, meter] of meters) {
      const waitMs = meter.wait(amounts[unit], now);
      if (waitMs > (longest?.waitMs ?? 0)) longest = { unit, waitMs };
    }
    if (longest) return { refuse: this.#refusal(longest.unit, longest.waitMs) };
    const taken = [...meters].map(
      ([unit, meter]) => [unit, meter.take(amounts[unit], now)] as const,
    );
    this.#taken.set(run, new Map(taken));
    return undefined;
  }

  onRefused(run: PluginRun): void {
    this.#settle(run, { requests: 0, tokens: 0, cost: 0 });
  }

  afterRun(run: PluginRun, result: PluginRunResult): void {
    this.#settleWith(run, result);
  }

  onError(run: PluginRun, _error: Error, result: PluginRunResult): void {
    this.#settleWith(run, result);
  }

  #settleWith(run: PluginRun, { usage, rounds, cost: known = 0 }: PluginRunResult): void {
    const dollars = costOf(usage, run.model, this.#options.models) ?? known;
    this.#spent.set(run, (this.#spent.get(run) ?? 0) + dollars);
    const cost = dollars * NANODOLLARS;
    this.#settle(run, { requests: rounds, tokens: tokensOf(usage), cost });
  }

  #settle(run: PluginRun, amounts: Amounts): void {
    const now = this.#now();
    for (const [unit, settle] of this.#taken.get(run) ?? []) settle(amounts[unit], now);
    this.#taken.delete(run);
  }

  /** US dollars, 0 when none are counted, undefined when they are but the price is not known. */
  #price({ model }: PluginRun, tokens: number): number | undefined {
    const { cost, costPerRun, models } = this.#options;
    if (cost === undefined && costPerRun === undefined) return 0;
    const usage = { inputTokens: tokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    return costOf(usage, model, models);
  }

  #metersOf(run: PluginRun, now: number): Meters {
    const key = this.#options.key?.(run) ?? "";
    const known = this.#meters.get(key);
    if (known) return known;
    if (this.#meters.size >= MANY_KEYS) this.#forgetIdle(now);
    const { strategy = "sliding-window" } = this.#options;
    const meters = new Map<Unit, Meter>();
    for (const unit of UNITS) {
      const limit = this.#options[unit];
      if (limit === undefined) continue;
      const size = unit === "cost" ? limit * NANODOLLARS : limit;
      meters.set(unit, createMeter(strategy, size, this.#windowMs));
    }
    this.#meters.set(key, meters);
    return meters;
  }

  #forgetIdle(now: number): void {
    for (const [key, meters] of this.#meters)
      if ([...meters.values()].every((meter) => meter.isIdle(now))) this.#meters.delete(key);
  }

  #refusal(unit: Unit, waitMs: number): RobotaError {
    const name = unit === "cost" ? "US dollars" : unit;
    const limit = `${this.#options[unit]} ${name} in ${this.#windowMs / 1000} s`;
    if (waitMs === Infinity) return exceeded(limit);
    return new RateLimitError(`The limit of ${limit} is reached`, {
      provider: "limits",
      retryAfterMs: Math.ceil(waitMs),
      hint: `Try again in ${Math.ceil(waitMs / 1000)} s.`,
    });
  }
}

function estimateTokens({ input }: PluginRun): number {
  return Math.ceil(contentCharacters(input) / CHARACTERS_PER_TOKEN);
}

function exceeded(limit: string): RobotaError {
  return new RobotaError(`The run does not fit into the limit of ${limit}`, {
    code: "LIMIT_EXCEEDED",
    category: "user",
    recoverable: false,
    hint: "Shorten the input, or raise the limit.",
  });
}

function unpriced(model: string): ConfigurationError {
  return new ConfigurationError(`The cost is limited, and the price of ${model} is not known`, {
    hint: "Give the model with its prices in `models`; zeros for one that costs nothing.",
  });
}
