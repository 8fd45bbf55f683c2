import { ValidationError } from "../../errors.ts";
import { nearNames } from "../../messages/near-names.ts";

/** One task for an agent. */
export interface WorkflowStep {
  id: string;
  /** Name of the agent that runs it. */
  agent: string;
  /**
   * Prompt of the agent. `{{input.name}}` inserts an input of the workflow, `{{steps.id}}` another step's answer; that
   * step becomes a dependency.
   */
  prompt: string;
  /** Additional dependencies, besides the steps whose answers it uses. */
  after?: readonly string[];
}

/** Steps in any order: dependencies are in the steps, and all else runs concurrently. */
export interface WorkflowDefinition {
  name?: string;
  steps: readonly WorkflowStep[];
}

/** The agents and inputs that a definition is checked against. */
export interface WorkflowSurroundings {
  agents: Iterable<string>;
  inputs?: Iterable<string>;
}

/** The kind of defect of a workflow. */
export type WorkflowProblemCode =
  | "no_steps"
  | "bad_id"
  | "duplicate_id"
  | "empty_prompt"
  | "bad_reference"
  | "unknown_agent"
  | "unknown_step"
  | "missing_input"
  | "cycle";

/** A defect of a workflow, with its step. */
export interface WorkflowProblem {
  code: WorkflowProblemCode;
  /** Id of the step, for a step's problem. */
  step?: string;
  message: string;
}

/** Makes one form of a workflow out of another, such as a list of steps out of a drawing. */
export interface WorkflowConverter<From, To> {
  /** @throws {ValidationError} with all problems of a workflow that can't be converted */
  convert(from: From): To;
}

/** Finds problems of a workflow before it is run. */
export interface WorkflowValidator<Workflow> {
  /** Every problem at once; empty when it can be run. */
  validate(workflow: Workflow): WorkflowProblem[];
}

/** A placeholder in a prompt. */
interface Reference {
  kind: "input" | "step" | "unknown";
  name: string;
}

const STEP_ID = /^[A-Za-z0-9_-]{1,64}$/;
const REFERENCE = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The placeholders of a prompt, in order. */
function referencesOf(prompt: string): Reference[] {
  return [...prompt.matchAll(REFERENCE)].map(([, text = ""]) => referenceOf(text));
}

/** The prompt with its placeholders replaced. */
export function filledPrompt(prompt: string, value: (reference: Reference) => string): string {
  return prompt.replaceAll(REFERENCE, (_, text: string) => value(referenceOf(text)));
}

function referenceOf(text: string): Reference {
  const [, kind, name = ""] = /^(input|steps)\.([A-Za-z0-9_-]+)$/.exec(text) ?? [];
  if (kind === undefined) return { kind: "unknown", name: text };
  return { kind: kind === "input" ? "input" : "step", name };
}

/** The dependencies of a step. */
export function needsOf({ prompt, after = [] }: WorkflowStep): string[] {
  const used = referencesOf(prompt).filter(({ kind }) => kind === "step");
  return [...new Set([...after, ...used.map(({ name }) => name)])];
}

/** The inputs that a workflow's prompts use. */
export function inputsOf({ steps }: WorkflowDefinition): string[] {
  const used = steps.flatMap(({ prompt }) => referencesOf(prompt));
  return [...new Set(used.filter(({ kind }) => kind === "input").map(({ name }) => name))];
}

/** The error for a workflow with these problems. */
export function workflowError(problems: readonly WorkflowProblem[]): ValidationError {
  const lines = problems.map(({ step, message }) =>
    step === undefined ? message : `${step}: ${message}`,
  );
  return new ValidationError(`The workflow can't be run: ${lines.join("; ")}`, {
    hint: "validateWorkflow gives these problems one by one.",
  });
}

/** All problems that prevent running the workflow with these agents and inputs; empty if there are none. */
export function validateWorkflow(
  { steps }: WorkflowDefinition,
  surroundings: WorkflowSurroundings,
): WorkflowProblem[] {
  if (steps.length === 0) return [{ code: "no_steps", message: "The workflow has no steps" }];
  const problems: WorkflowProblem[] = [];
  const ids = new Set<string>();
  for (const { id } of steps) {
    if (!STEP_ID.test(id)) {
      const message = `"${id}" is not a step id: use 1 to 64 letters, digits, _ or -`;
      problems.push({ code: "bad_id", step: id, message });
    } else if (ids.has(id)) {
      problems.push({ code: "duplicate_id", step: id, message: `There are two steps "${id}"` });
    }
    ids.add(id);
  }
  const agents = [...surroundings.agents];
  const inputs = [...(surroundings.inputs ?? [])];
  for (const step of steps) problems.push(...stepProblems(step, ids, agents, inputs));
  problems.push(...cycles(steps));
  return problems;
}

function stepProblems(
  step: WorkflowStep,
  ids: ReadonlySet<string>,
  agents: readonly string[],
  inputs: readonly string[],
): WorkflowProblem[] {
  const problems: WorkflowProblem[] = [];
  const say = (code: WorkflowProblemCode, message: string): void =>
    void problems.push({ code, step: step.id, message });
  if (step.prompt.trim() === "") say("empty_prompt", "It has no prompt");
  if (!agents.includes(step.agent))
    say("unknown_agent", `There is no agent "${step.agent}"${suggestion(step.agent, agents)}`);
  for (const id of needsOf(step))
    if (!ids.has(id)) say("unknown_step", `There is no step "${id}"${suggestion(id, ids)}`);
  for (const { kind, name } of referencesOf(step.prompt)) {
    if (kind === "input" && !inputs.includes(name))
      say("missing_input", `The input "${name}" is not given${suggestion(name, inputs)}`);
    if (kind === "unknown")
      say("bad_reference", `{{${name}}} is neither {{input.name}} nor {{steps.id}}`);
  }
  return problems;
}

function suggestion(name: string, known: Iterable<string>): string {
  const near = nearNames(name, known);
  return near.length > 0 ? `; did you mean ${near.join(" or ")}?` : "";
}

/** One problem for each dependency cycle. */
function cycles(steps: readonly WorkflowStep[]): WorkflowProblem[] {
  const problems: WorkflowProblem[] = [];
  const byId = new Map(steps.map((step) => [step.id, step]));
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): void => {
    if (path.includes(id)) {
      const circle = [...path.slice(path.indexOf(id)), id];
      const message = `Steps wait for each other: ${circle.join(" → ")}`;
      problems.push({ code: "cycle", step: id, message });
      return;
    }
    const step = byId.get(id);
    if (done.has(id) || !step) return;
    for (const need of needsOf(step)) visit(need, [...path, id]);
    done.add(id);
  };
  for (const { id } of steps) visit(id, []);
  return problems;
}
