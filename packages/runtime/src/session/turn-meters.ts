import { RunMeter, type Spending } from "../agent/budget.ts";
import type { SessionOptions } from "./options.ts";

export interface MeterParts {
  readonly options: SessionOptions;
  /** Spending of all turns, including those before the session was resumed. */
  readonly spending: Spending;
}

/** The meters of a session's turns, one after the other. */
export class TurnMeters {
  readonly #parts: MeterParts;
  readonly #refusal: RunMeter["refusal"] | undefined;
  #current: RunMeter | undefined;

  /**
   * `refusal`: says instead of the budgets when a turn may not go on.
   * @throws {ConfigurationError} for a budget that can't be counted
   */
  constructor(parts: MeterParts, refusal?: RunMeter["refusal"]) {
    this.#parts = parts;
    this.#refusal = refusal;
    meterFor(parts);
  }

  /** The meter of the present turn, or of what is used between turns. */
  get current(): RunMeter {
    return this.#current ?? this.begin();
  }

  /** Begins the meter of the next turn, before its first request. */
  begin(): RunMeter {
    const meter = meterFor(this.#parts);
    if (this.#refusal) Object.assign(meter, { refusal: this.#refusal });
    this.#current = meter;
    return meter;
  }

  /** Ends the meter of a turn: an idle session keeps none. */
  end(): void {
    this.#current = undefined;
  }
}

function meterFor({ options, spending }: MeterParts): RunMeter {
  return new RunMeter({
    model: options.provider.model,
    models: options.models,
    owner: "session",
    ownerSpending: spending,
    ownerBudget: options.budget,
    runBudget: options.turnBudget,
  });
}
