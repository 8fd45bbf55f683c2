import { RunMeter, Spending } from "../../agent/budget.ts";
import { DEFAULT_CONTEXT_WINDOW, findModel } from "../../context/models.ts";
import { defined } from "../../defined.ts";
import { ConfigurationError } from "../../errors.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { SkillInvocation } from "../log/notes.ts";
import type { SessionOptions } from "../options.ts";
import type { RequestContext } from "../state/request-context.ts";
import type { SessionState } from "../state/state.ts";

export interface SkillModelParts {
  readonly options: Pick<
    SessionOptions,
    "provider" | "skillModel" | "models" | "budget" | "turnBudget"
  >;
  readonly state: Pick<SessionState, "turn">;
  readonly requestContext: Pick<RequestContext, "tracker">;
}

/**
 * The event of a skill's use, with the model and the effort that it puts in force until the turn ends. A model that the
 * session's provider or its budget does not permit is named in it, and not used.
 */
export function skillUseEvent(
  { options }: Pick<SkillModelParts, "options">,
  use: Pick<SkillInvocation, "skillName" | "displayInput">,
): SessionEventBody {
  const { model, effort, unavailableModel } =
    options.skillModel?.(use.skillName, options.provider) ?? {};
  const isCounted = model === undefined || isCountable(options, model);
  const data: SkillInvocation = {
    ...use,
    ...defined({
      model: isCounted ? model : undefined,
      unavailableModel: unavailableModel ?? (isCounted ? undefined : model),
      effort,
    }),
  };
  return { type: "note", kind: "skill-invocation", data };
}

/** Measures the conversation by the window of the open turn's own model, where a skill has chosen one. */
export function useSkillWindow({ options, state, requestContext }: SkillModelParts): void {
  const model = state.turn?.skillModel?.model;
  if (model === undefined) return;
  const known = findModel(model, options.models)?.contextWindow;
  requestContext.tracker.maxTokens = known ?? DEFAULT_CONTEXT_WINDOW;
}

/** False for a model without prices where a budget is in dollars. */
function isCountable(
  { models, budget, turnBudget }: SkillModelParts["options"],
  model: string,
): boolean {
  const ownerSpending = new Spending();
  const budgets = { ownerBudget: budget, runBudget: turnBudget };
  try {
    new RunMeter({ model, models, owner: "session", ownerSpending, ...budgets });
    return true;
  } catch (error) {
    if (error instanceof ConfigurationError) return false;
    throw error;
  }
}
