import { costOf, type ModelDefinition } from "../context/models.ts";
import { addUsage, noUsage, tokensOf } from "../context/usage.ts";
import { ConfigurationError, RobotaError } from "../errors.ts";
import type { TokenUsage } from "../messages/message.ts";

/** A limit on spending. Checked before each provider call, so the call that crosses it is still paid for. */
export interface Budget {
  /** Tokens of every kind that the provider reports: input, output, cache reads and cache writes. */
  tokens?: number;
  /** US dollars, by the catalog's prices. */
  dollars?: number;
}

/** Tokens used so far, and their price in US dollars, which becomes unknown with the first part without a price. */
export class Spending {
  readonly #usage = noUsage();
  #cost: number | undefined = 0;

  add(usage: TokenUsage, cost: number | undefined): void {
    addUsage(this.#usage, usage);
    this.#cost = this.#cost === undefined || cost === undefined ? undefined : this.#cost + cost;
  }

  get usage(): TokenUsage {
    return { ...this.#usage };
  }

  get cost(): number | undefined {
    return this.#cost;
  }
}

export interface RunMeterOptions {
  model: string;
  models: readonly ModelDefinition[] | undefined;
  /** The kind of owner. */
  owner: "agent" | "session";
  /** The owner's spending, which continues after the run. */
  ownerSpending: Spending;
  ownerBudget: Budget | undefined;
  runBudget: Budget | undefined;
}

/** A budget, and the spending that counts against it. */
interface Limit {
  readonly budget: Budget;
  readonly spending: Spending;
  /** The kind of work that it limits. */
  readonly of: string;
  readonly hint: string;
}

const UNLIMITED: readonly Limit[] = [];

/** Counts the spending of one run over all its attempts, for the run and for its owner, and tells when it must end. */
export class RunMeter {
  readonly spending = new Spending();
  /** The same, with what was spent beside its calls. */
  readonly all = new Spending();
  readonly #model: string;
  readonly #models: readonly ModelDefinition[] | undefined;
  readonly #ownerSpending: Spending;
  readonly #limits: readonly Limit[];

  /** @throws {ConfigurationError} when a budget is not a positive number, or is in dollars without a known price */
  constructor(options: RunMeterOptions) {
    this.#model = options.model;
    this.#models = options.models;
    this.#ownerSpending = options.ownerSpending;
    this.#limits = limitsOf(options, this.all);
    for (const { budget, spending } of this.#limits) {
      requirePositive(budget);
      if (budget.dollars === undefined) continue;
      const price = this.costOf(noUsage());
      if (price === undefined || spending.cost === undefined) throw unpriced(this.#model);
    }
  }

  /** US dollars, or `undefined` when the model's prices are not known. */
  costOf(usage: TokenUsage, model = this.#model): number | undefined {
    return costOf(usage, model, this.#models);
  }

  add(usage: TokenUsage, model?: string): void {
    const cost = this.costOf(usage, model);
    this.spending.add(usage, cost);
    this.addAside(usage, cost);
  }

  /**
   * Counts what was used for the run beside its calls, such as by a hook that judges, or by work that the run does not
   * wait for.
   */
  addAside(usage: TokenUsage, cost: number | undefined): void {
    this.all.add(usage, cost);
    this.#ownerSpending.add(usage, cost);
  }

  /** Returns the reason why nothing more may be sent to `model`, if any. */
  refusal(model = this.#model): RobotaError | undefined {
    for (const { budget, spending, of, hint } of this.#limits) {
      const { tokens = Infinity, dollars = Infinity } = budget;
      if (tokensOf(spending.usage) >= tokens) return exceeded(of, `${tokens} tokens`, hint);
      // An unknown price would count as nothing.
      const price = spending.cost === undefined ? undefined : this.costOf(noUsage(), model);
      if (price === undefined && budget.dollars !== undefined) return unpriced(model);
      if ((spending.cost ?? 0) >= dollars) return exceeded(of, `${dollars} US dollars`, hint);
    }
    return undefined;
  }
}

/** The limits of a run; most have none. */
function limitsOf(
  { owner, ownerBudget, ownerSpending, runBudget }: RunMeterOptions,
  spending: Spending,
): readonly Limit[] {
  if ((runBudget ?? ownerBudget ?? undefined) === undefined) return UNLIMITED;
  return [
    {
      budget: runBudget ?? {},
      spending,
      of: owner === "agent" ? "run" : "turn",
      hint: "The work so far is in the history: run again to go on, with a larger budget if it needs one.",
    },
    {
      budget: ownerBudget ?? {},
      spending: ownerSpending,
      of: owner,
      hint:
        owner === "agent"
          ? "The history is kept: continue with an agent with a larger budget."
          : "The history is kept: open the session again with a larger budget.",
    },
  ];
}

function requirePositive(budget: Budget): void {
  for (const [name, amount] of Object.entries(typeof budget === "object" ? budget : { budget })) {
    const isKnown = name === "tokens" || name === "dollars";
    if (isKnown && (amount ?? 1) > 0) continue;
    throw new ConfigurationError(`The budget in ${name} is ${amount}`, {
      hint: "Give tokens or dollars above 0.",
    });
  }
}

function unpriced(model: string): ConfigurationError {
  return new ConfigurationError(
    `The budget in dollars needs prices, and those of ${model}, or of a model used before, are unknown`,
    { hint: "Give the prices in `models`, or set the budget in tokens." },
  );
}

function exceeded(of: string, amount: string, hint: string): RobotaError {
  return new RobotaError(`The budget of this ${of} is spent: ${amount}`, {
    code: "BUDGET_EXCEEDED",
    category: "user",
    recoverable: false,
    hint,
  });
}
