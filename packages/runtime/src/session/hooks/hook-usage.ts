import { defined } from "../../defined.ts";
import { costOf } from "../../context/models.ts";
import type { ModelDefinition } from "../../context/models.ts";
import type { HookUsage } from "../../hooks/executor.ts";
import type { TokenUsage } from "../../messages/message.ts";
import type { Provider } from "../../providers/provider.ts";

/** Usage of a judgement, with its price where known. */
export function hookUsage(
  usage: TokenUsage,
  { model }: Pick<Provider, "model">,
  models: readonly ModelDefinition[] | undefined,
): HookUsage {
  const cost = costOf(usage, model, models);
  return defined({ usage, model, cost });
}
