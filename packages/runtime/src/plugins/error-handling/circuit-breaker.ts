import { CircuitBreakerOpenError, isAbortError, RobotaError, StorageError } from "../../errors.ts";
import type { PluginRun } from "../plugin.ts";
import type { ErrorStrategy } from "./error-strategy.ts";

export interface CircuitBreakerOptions {
  /** Failures within `windowMs` that open a circuit; 5 when omitted. */
  failureThreshold?: number | undefined;
  /** Milliseconds; 60,000 when omitted. */
  windowMs?: number | undefined;
  /** Milliseconds that a circuit stays open before one run may try; 30,000 when omitted. */
  openMs?: number | undefined;
  /** Milliseconds after which the run that tries is given up and another may; 600,000 when omitted. */
  probeTimeoutMs?: number | undefined;
  /** Runs of one key share a circuit; the provider and its model when omitted. */
  key?: ((run: PluginRun) => string) | undefined;
  /** Milliseconds that only go forward. */
  now?: (() => number) | undefined;
}

/** `closed`: runs pass. `open`: none does. `half-open`: one run may try, and its end decides. */
export type CircuitState = "closed" | "open" | "half-open";

/** An error strategy with a circuit for each key; see `circuitBreaker`. */
export interface CircuitBreaker extends ErrorStrategy {
  /** The state of a key's circuit. */
  state(key: string): CircuitState;
}

/**
 * Refuses runs at once while a provider keeps failing, with a `CircuitBreakerOpenError` that says how long. Mistakes of
 * the person (a wrong key, an unknown model) and aborts say nothing about the provider, and don't count.
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): CircuitBreaker {
  const { key = ({ provider, model }: PluginRun) => `${provider}/${model}` } = options;
  // Circuits with recorded failures.
  const circuits = new Map<string, Circuit>();
  const settle = (run: PluginRun, verdict: Verdict): void => {
    const name = key(run);
    let circuit = circuits.get(name);
    if (!circuit) {
      if (verdict !== "failure") return;
      circuit = new Circuit(options);
      circuits.set(name, circuit);
    }
    circuit.leave(run, verdict);
    if (circuit.isQuiet) circuits.delete(name);
  };
  return {
    name: "circuit-breaker",
    state: (name) => circuits.get(name)?.state ?? "closed",
    beforeRun(run) {
      const waitMs = circuits.get(key(run))?.enter(run);
      return waitMs === undefined ? undefined : { refuse: openError(key(run), waitMs) };
    },
    onRefused: (run) => settle(run, "unknown"),
    afterRun: (run, { interrupted }) => settle(run, interrupted ? "unknown" : "success"),
    onError: (run, error) => settle(run, isFailureOfService(error) ? "failure" : "unknown"),
  };
}

/** The verdict of a run's end on its provider. */
type Verdict = "success" | "failure" | "unknown";

class Circuit {
  readonly #failureThreshold: number;
  readonly #windowMs: number;
  readonly #openMs: number;
  readonly #probeTimeoutMs: number;
  readonly #now: () => number;
  /** Times of failures while closed. */
  #failures: number[] = [];
  #openedAt: number | undefined;
  #probe: { run: PluginRun; since: number } | undefined;

  constructor(options: CircuitBreakerOptions) {
    this.#failureThreshold = options.failureThreshold ?? 5;
    this.#windowMs = options.windowMs ?? 60_000;
    this.#openMs = options.openMs ?? 30_000;
    this.#probeTimeoutMs = options.probeTimeoutMs ?? 600_000;
    this.#now = options.now ?? (() => performance.now());
  }

  get state(): CircuitState {
    if (this.#openedAt === undefined) return "closed";
    return this.#now() - this.#openedAt < this.#openMs ? "open" : "half-open";
  }

  /** True when there is nothing to remember. */
  get isQuiet(): boolean {
    const now = this.#now();
    this.#failures = this.#failures.filter((time) => now - time < this.#windowMs);
    return this.#openedAt === undefined && this.#failures.length === 0;
  }

  /** Lets the run pass, or says in how many milliseconds it is worth another try. */
  enter(run: PluginRun): number | undefined {
    if (this.#openedAt === undefined) return undefined;
    const now = this.#now();
    const left = this.#openedAt + this.#openMs - now;
    if (left > 0) return left;
    // A run that never ends must not block the probe forever.
    if (this.#probe && now - this.#probe.since < this.#probeTimeoutMs) return this.#openMs;
    this.#probe = { run, since: now };
    return undefined;
  }

  leave(run: PluginRun, verdict: Verdict): void {
    if (this.#openedAt === undefined) {
      if (verdict === "failure") this.#count();
    } else if (this.#probe?.run === run) {
      this.#probe = undefined;
      if (verdict === "success") this.#openedAt = undefined;
      else if (verdict === "failure") this.#openedAt = this.#now();
    }
    // A run that began before the circuit opened says nothing about the time after it.
  }

  #count(): void {
    const now = this.#now();
    this.#failures = this.#failures.filter((time) => now - time < this.#windowMs);
    this.#failures.push(now);
    if (this.#failures.length < this.#failureThreshold) return;
    this.#failures = [];
    this.#openedAt = now;
  }
}

function isFailureOfService(error: Error): boolean {
  if (isAbortError(error) || error instanceof StorageError) return false;
  return !(error instanceof RobotaError) || error.category !== "user";
}

function openError(key: string, waitMs: number): CircuitBreakerOpenError {
  return new CircuitBreakerOpenError(`Too many runs on ${key} failed; none is tried for now`, {
    hint: `Try again in ${Math.ceil(waitMs / 1000)} s.`,
  });
}
