import { loadOnce } from "../load-once.ts";
import type { HooksConfig } from "./definition.ts";
import type { HookRunner, HookRunnerOptions } from "./hook-runner.ts";

export { warningsOf } from "./outcome-warnings.ts";

const loadRunner = loadOnce(() => import("./hook-runner.ts"));

/**
 * The hooks of a session; `undefined` when none are configured or when the session belongs to a hook's own agent. The
 * runner is loaded only on demand, so sessions without hooks do not carry it.
 */
export async function openHooks(
  config: HooksConfig | undefined,
  options: HookRunnerOptions,
): Promise<HookRunner | undefined> {
  if (!config || Object.keys(config).length === 0 || (options.hookDepth ?? 0) > 0) return undefined;
  const { HookRunner } = await loadRunner();
  return new HookRunner(config, options);
}
