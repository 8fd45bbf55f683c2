import type { HooksConfig } from "./definition.ts";
import type { HookRunner, HookRunnerOptions } from "./hook-runner.ts";

/**
 * The hooks of a session, or nothing when none are configured or when it is the session of a hook's own agent. What runs
 * hooks is loaded only then, so that sessions without hooks do not carry it.
 */
export async function openHooks(
  config: HooksConfig | undefined,
  options: HookRunnerOptions,
): Promise<HookRunner | undefined> {
  if (!config || Object.keys(config).length === 0 || (options.hookDepth ?? 0) > 0) return undefined;
  const { HookRunner } = await import("./hook-runner.ts");
  return new HookRunner(config, options);
}
