import {
  type WorkflowConverter,
  workflowError,
  type WorkflowProblem,
  type WorkflowValidator,
} from "../toolkit/workflows/workflow.ts";

/** Base for validators written as classes: give the problems one by one, and the rest follows from them. */
export abstract class AbstractWorkflowValidator<Workflow> implements WorkflowValidator<Workflow> {
  abstract problems(workflow: Workflow): Iterable<WorkflowProblem>;

  validate(workflow: Workflow): WorkflowProblem[] {
    return [...this.problems(workflow)];
  }

  isValid(workflow: Workflow): boolean {
    for (const _ of this.problems(workflow)) return false;
    return true;
  }

  /** @throws {ValidationError} with all problems */
  assertValid(workflow: Workflow): void {
    const problems = this.validate(workflow);
    if (problems.length > 0) throw workflowError(problems);
  }
}

/** Base for converters written as classes: input that the validator rejects is never converted. */
export abstract class AbstractWorkflowConverter<From, To> implements WorkflowConverter<From, To> {
  readonly validator?: WorkflowValidator<From>;

  abstract convertWorkflow(from: From): To;

  /** @throws {ValidationError} with all problems */
  convert(from: From): To {
    const problems = this.validator?.validate(from) ?? [];
    if (problems.length > 0) throw workflowError(problems);
    return this.convertWorkflow(from);
  }
}
