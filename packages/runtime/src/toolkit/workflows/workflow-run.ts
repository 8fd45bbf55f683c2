import { errorFacts, errorMessage } from "../../errors.ts";
import {
  DEFAULT_ABSTRACT_EVENT_SERVICE,
  type EventService,
  StructuredEventService,
} from "../../events/event-service.ts";
import type { RunOptions } from "../../agent/robota.ts";
import type { RunResult } from "../../agent/agent-run.ts";
import {
  filledPrompt,
  inputsOf,
  needsOf,
  validateWorkflow,
  type WorkflowConverter,
  type WorkflowDefinition,
  workflowError,
  type WorkflowStep,
  type WorkflowSurroundings,
} from "./workflow.ts";

const DEFAULT_CONCURRENCY = 5;

/** The executor of steps: a `Robota`, or anything with the same `run`. */
export interface WorkflowAgent {
  run(input: string, options?: RunOptions): Promise<RunResult>;
}

export interface WorkflowRunOptions {
  /**
   * Agents by the names in steps. An agent runs its steps in sequence, in one conversation; a function creates a new
   * agent for each step.
   */
  agents: Readonly<Record<string, WorkflowAgent | (() => WorkflowAgent)>>;
  input?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
  /** Steps at one time; default 5. */
  concurrency?: number | undefined;
  /** Gets `task.started`, `task.completed` and `task.failed` of each step that begins. */
  eventService?: EventService | undefined;
  /** Called as each step begins and ends. */
  onStep?(step: WorkflowStep, result: StepResult | "running"): void;
}

/** The outcome of one step. */
export interface StepResult {
  /** `skipped`: it did not begin, because a step it needs did not answer or the run was stopped. */
  status: "done" | "failed" | "interrupted" | "skipped";
  /** The agent's answer, as far as it got. */
  text: string;
  error?: { code: string; message: string };
  durationMs: number;
}

/** The outcome of a workflow, with that of each step. */
export interface WorkflowResult {
  /** `failed` when a step failed; else `interrupted` when the run was stopped before its end. */
  status: "done" | "failed" | "interrupted";
  /** Results of every step, in the order of the definition. */
  steps: Readonly<Record<string, StepResult>>;
  /** The answers of the steps that no other one waits for, in the order of the definition. */
  text: string;
}

/**
 * Runs the steps of a workflow, each as soon as its dependencies have finished. A failed step stops only its
 * dependents.
 * @throws {ValidationError} with every problem of the definition, before anything is run
 */
export async function runWorkflow(
  definition: WorkflowDefinition,
  options: WorkflowRunOptions,
): Promise<WorkflowResult> {
  const { agents, input = {} } = options;
  checkWorkflow(definition, { agents: Object.keys(agents), inputs: Object.keys(input) });
  const results = await new WorkflowRun(definition, options).results();
  const all = Object.values(results);
  const isFailed = all.some(({ status }) => status === "failed");
  const isDone = all.every(({ status }) => status === "done");
  const needed = new Set(definition.steps.flatMap(needsOf));
  const last = definition.steps.filter(({ id }) => !needed.has(id));
  return {
    status: isFailed ? "failed" : isDone ? "done" : "interrupted",
    steps: results,
    text: last
      .map(({ id }) => results[id]?.text ?? "")
      .filter((text) => text !== "")
      .join("\n\n"),
  };
}

/** A workflow whose agents are there, to be run as often as wanted. */
export interface PreparedWorkflow {
  /** The inputs that its prompts need. */
  readonly inputs: readonly string[];
  run(options?: Omit<WorkflowRunOptions, "agents">): Promise<WorkflowResult>;
}

/** Turns lists of steps into workflows that can be run with these agents. */
export function createWorkflowConverter(
  agents: WorkflowRunOptions["agents"],
): WorkflowConverter<WorkflowDefinition, PreparedWorkflow> {
  return {
    convert(definition) {
      const inputs = inputsOf(definition);
      checkWorkflow(definition, { agents: Object.keys(agents), inputs });
      return { inputs, run: (options) => runWorkflow(definition, { ...options, agents }) };
    },
  };
}

function checkWorkflow(definition: WorkflowDefinition, surroundings: WorkflowSurroundings): void {
  const problems = validateWorkflow(definition, surroundings);
  if (problems.length > 0) throw workflowError(problems);
}

class WorkflowRun {
  readonly #definition: WorkflowDefinition;
  readonly #options: WorkflowRunOptions;
  readonly #signal: AbortSignal;
  readonly #events: StructuredEventService;
  readonly #results = new Map<string, StepResult>();
  readonly #waiting: Set<WorkflowStep>;
  /** Agents that are at work; one does a single step at a time. */
  readonly #busy = new Set<WorkflowAgent | (() => WorkflowAgent)>();
  #running = 0;
  #finish: () => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(definition: WorkflowDefinition, options: WorkflowRunOptions) {
    this.#definition = definition;
    this.#options = options;
    this.#signal = options.signal ?? new AbortController().signal;
    this.#waiting = new Set(definition.steps);
    this.#events = new StructuredEventService(
      options.eventService ?? DEFAULT_ABSTRACT_EVENT_SERVICE,
      [{ ownerType: "workflow", ownerId: crypto.randomUUID() }],
      Date.now,
    );
  }

  async results(): Promise<Record<string, StepResult>> {
    const finished = new Promise<void>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    this.#advance();
    await finished;
    const ordered = this.#definition.steps.map(({ id }) => [id, this.#results.get(id)] as const);
    return Object.fromEntries(ordered.filter((entry): entry is [string, StepResult] => !!entry[1]));
  }

  /** Starts ready steps in the order of the definition, and skips those that never will be. */
  #advance(): void {
    const { concurrency = DEFAULT_CONCURRENCY } = this.#options;
    for (const step of this.#waiting) {
      const needs = needsOf(step).map((id) => this.#results.get(id));
      if (this.#signal.aborted || needs.some((need) => need && need.status !== "done")) {
        this.#end(step, { status: "skipped", text: "", durationMs: 0 });
        // Earlier steps may depend on this one.
        this.#advance();
        return;
      }
      const agent = this.#options.agents[step.agent];
      const isFree = this.#running < concurrency && agent && !this.#busy.has(agent);
      if (isFree && needs.every((need) => need)) this.#start(step, agent);
    }
    if (this.#running === 0) this.#finish();
  }

  #start(step: WorkflowStep, agent: WorkflowAgent | (() => WorkflowAgent)): void {
    this.#waiting.delete(step);
    this.#running += 1;
    if (typeof agent !== "function") this.#busy.add(agent);
    const events = this.#events.child({ ownerType: "task", ownerId: step.id });
    events.emit("started", { agent: step.agent });
    this.#options.onStep?.(step, "running");
    this.#run(step, agent)
      .then((result) => {
        const { status, durationMs, error } = result;
        if (status === "done") events.emit("completed", { durationMs });
        else events.emit("failed", { status, durationMs, ...error });
        this.#running -= 1;
        this.#busy.delete(agent);
        this.#end(step, result);
        this.#advance();
      })
      // A failing listener is its owner's concern.
      .catch(this.#fail);
  }

  #end(step: WorkflowStep, result: StepResult): void {
    this.#waiting.delete(step);
    this.#results.set(step.id, result);
    this.#options.onStep?.(step, result);
  }

  async #run(
    step: WorkflowStep,
    agent: WorkflowAgent | (() => WorkflowAgent),
  ): Promise<StepResult> {
    const begun = performance.now();
    const ended = (facts: Pick<StepResult, "status" | "text" | "error">): StepResult => ({
      ...facts,
      durationMs: performance.now() - begun,
    });
    try {
      const worker = typeof agent === "function" ? agent() : agent;
      const { text, interrupted, error } = await worker.run(this.#prompt(step), {
        signal: this.#signal,
      });
      if (error !== undefined) return ended({ status: "failed", text, error: errorFacts(error) });
      return ended({ status: interrupted ? "interrupted" : "done", text });
    } catch (error) {
      if (this.#signal.aborted) return ended({ status: "interrupted", text: "" });
      const { code } = errorFacts(error);
      return ended({ status: "failed", text: "", error: { code, message: errorMessage(error) } });
    }
  }

  #prompt({ prompt }: WorkflowStep): string {
    const { input = {} } = this.#options;
    return filledPrompt(prompt, ({ kind, name }) =>
      kind === "input" ? (input[name] ?? "") : (this.#results.get(name)?.text ?? ""),
    );
  }
}
