// Checks and merges of hook configurations, and the types of hooks.
export type {
  AgentHook,
  CommandHook,
  CustomHook,
  FunctionHook,
  HookDefinition,
  HookFunctionAnswer,
  HookGroup,
  HookOptions,
  HttpHook,
  PromptHook,
} from "../hooks/definition.ts";
export {
  HOOK_EVENTS,
  type HookFields,
  type HookInputBase,
  type HookInputOf,
  type HookInputs,
} from "../hooks/events.ts";
export type { HookContext, HookExecutors, HookTypeExecutor, HookUsage } from "../hooks/executor.ts";
export type { RunHookAgent } from "../hooks/executors/agent.ts";
export type { AskModel } from "../hooks/executors/prompt.ts";
export { hooksOfLayer, mergeHooks } from "../hooks/merge-hooks.ts";
export { checkHooks, type CheckHooksOptions, type HookProblem } from "../hooks/read-hooks.ts";
export type { HookPermissionDecision, HookSpecificOutput } from "../hooks/result.ts";
export type { HookHost, HookRun, HookRunOutcome, RunHooksOptions } from "../hooks/run-hooks.ts";
export { hookWarnings, type HookWarningsOptions } from "../hooks/usable-hooks.ts";
