import { requireArgument } from "../errors.ts";
import type { ToolArgs } from "../messages/message.ts";
import type { PermissionContext } from "./call.ts";
import { explain, type PermissionExplanation, type Policy, policyOf, UNKNOWN } from "./evaluate.ts";
import { checkForm } from "./rules/check-lists.ts";
import { declared } from "./rules/tool-facts.ts";
import { NAMED_TOOLS } from "./rules/tool-names.ts";
import type { PermissionDecision, PermissionLists, PermissionMode } from "./permission.ts";

// Sessions load `evaluate.ts` lazily. A bundler puts a lazy module that an entry exports into every first load, so the
// entry exports this one.

/** Decision of each mode for the built-in tools without a matching rule. */
export const MODE_POLICY: Readonly<
  Record<PermissionMode, Readonly<Record<string, PermissionDecision>>>
> = {
  plan: byMode("plan"),
  default: byMode("default"),
  acceptEdits: byMode("acceptEdits"),
  bypassPermissions: byMode("bypassPermissions"),
};

/** Decision of each mode for unknown tools. */
export const UNKNOWN_TOOL_FALLBACK: Policy = UNKNOWN;

function byMode(mode: PermissionMode): Record<string, PermissionDecision> {
  return Object.fromEntries(
    NAMED_TOOLS.map((name) => [name, policyOf(declared({ name }).access)[mode]]),
  );
}

/**
 * Decides whether a call runs at once, needs a person's approval, or is denied: deny rules, ask rules, allow rules,
 * then the mode. Rules for command lines match the text alone: they save prompts, and do not contain a running program.
 * A malformed deny or ask rule applies to every call of its tool; with a rule about commands, an unreadable line needs
 * approval. With `context.roots`, protected and outside paths need approval as well, and nothing allows a change in
 * plan mode.
 * @throws {ValidationError} for lists of another form, whose rules would not be in force
 */
export function evaluatePermission(
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists = {},
  context: PermissionContext = {},
): PermissionDecision {
  return explainPermission(tool, args, mode, lists, context).decision;
}

/** The decision of `evaluatePermission` with the step, the rule and the part of a command that made it. @throws as it does */
export function explainPermission(
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists = {},
  context: PermissionContext = {},
): PermissionExplanation {
  requireArgument("tool", tool);
  requireArgument("args", args, "object");
  checkForm(lists);
  return explain(tool, args, mode, lists, context);
}
