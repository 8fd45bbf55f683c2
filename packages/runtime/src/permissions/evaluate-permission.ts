import type { ToolArgs } from "../messages/message.ts";
import type { PermissionContext } from "./call.ts";
import {
  explain,
  KNOWN_TOOLS,
  type PermissionExplanation,
  type Policy,
  UNKNOWN,
} from "./evaluate.ts";
import type { PermissionDecision, PermissionLists, PermissionMode } from "./permission.ts";

// Sessions load `evaluate.ts` late. A bundler puts a module that loads late and is exported by an entry into every first
// load, so the entry exports this one.

/** What each mode decides for the built-in tools when no rule does. */
export const MODE_POLICY: Readonly<
  Record<PermissionMode, Readonly<Record<string, PermissionDecision>>>
> = {
  plan: byMode("plan"),
  default: byMode("default"),
  acceptEdits: byMode("acceptEdits"),
  bypassPermissions: byMode("bypassPermissions"),
};

/** What each mode decides for tools it does not know. */
export const UNKNOWN_TOOL_FALLBACK: Policy = UNKNOWN;

function byMode(mode: PermissionMode): Record<string, PermissionDecision> {
  return Object.fromEntries(
    Object.entries(KNOWN_TOOLS).map(([tool, decisions]) => [tool, decisions[mode]]),
  );
}

/**
 * Whether a call runs at once, needs a person's approval, or does not run: deny rules, ask rules, allow rules, then the
 * mode. Rules for command lines go by the text alone: they save prompts, and do not contain a program that runs.
 * A deny or ask rule that does not parse counts for every call of the tool it begins with; while one speaks of commands,
 * a line that can't be read asks. With `context.roots`, what is protected or lies outside of the workspace asks as well,
 * and nothing opens a change in plan mode.
 */
export function evaluatePermission(
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists = {},
  context: PermissionContext = {},
): PermissionDecision {
  return explain(tool, args, mode, lists, context).decision;
}

/** The decision of `evaluatePermission` with the step, the rule and the part of a command that made it. */
export function explainPermission(
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists = {},
  context: PermissionContext = {},
): PermissionExplanation {
  return explain(tool, args, mode, lists, context);
}
