import { defined } from "../defined.ts";
import { allowLine } from "./command-lines/allow-line.ts";
import { describeCall, type PermissionCall, type PermissionContext } from "./call.ts";
import type { ToolArgs } from "../messages/message.ts";
import type { ToolAccess } from "../tools/tool.ts";
import { isAboutReading } from "./rules/tool-facts.ts";
import { parsePattern } from "./rules/parse-pattern.ts";
import { allowingRules, concerns } from "./rules/pattern.ts";
import {
  type PermissionDecision,
  type PermissionLists,
  type PermissionMode,
  type PlacedRule,
  rulesOf,
} from "./permission.ts";
import { unreadableLine } from "./command-lines/unreadable/unreadable-line.ts";
import {
  alwaysAsks,
  outside,
  reachesOut,
  strangeRepository,
  unusableArgument,
} from "./paths/workspace.ts";

/** A decision on a call with its grounds. */
export interface PermissionExplanation {
  decision: PermissionDecision;
  /**
   * The deciding step: a rule, the mode, or, where the workspace is known, `protected`: paths that no rule and no mode
   * exempts, and paths outside of the workspace.
   */
  step: "deny" | "protected" | "ask" | "allow" | "mode";
  /** The rule that decided; several, joined by commas, when only together they allow a compound command. */
  rule?: string | undefined;
  /** The layer of that rule, if any. */
  layer?: string | undefined;
  /** The part of a shell line that decided. */
  command?: string | undefined;
  /** The reason for a person. */
  reason: string;
}

export type Policy = Readonly<Record<PermissionMode, PermissionDecision>>;

const policy = (
  plan: PermissionDecision,
  standard: PermissionDecision,
  acceptEdits: PermissionDecision,
): Policy => ({ plan, default: standard, acceptEdits, bypassPermissions: "auto" });

const READS = policy("auto", "auto", "auto");
const WRITES = policy("deny", "approve", "auto");
const COMMANDS = policy("deny", "approve", "approve");
const NETWORK = policy("approve", "approve", "approve");
/** The policy for tools without declared access. */
export const UNKNOWN = policy("deny", "approve", "approve");

const BY_ACCESS: Readonly<Partial<Record<ToolAccess, Policy>>> = {
  none: READS,
  read: READS,
  write: WRITES,
  execute: COMMANDS,
  network: NETWORK,
  "network-write": COMMANDS,
  privilege: NETWORK,
};

/** The policy of tools with an access when no rule decides. */
export function policyOf(access: ToolAccess | undefined): Policy {
  return (access && BY_ACCESS[access]) ?? UNKNOWN;
}

/** The decision of `explainPermission`, for callers that load late. */
export function explain(
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists = {},
  context: PermissionContext = {},
): PermissionExplanation {
  const call = describeCall(tool, args, context);
  const deny = rulesOf(lists, "deny");
  const ask = rulesOf(lists, "ask");
  const forbidding = [...deny, ...ask];
  const byMode = policyOf(call.access)[mode];
  const knowsWorkspace = context.roots !== undefined;

  const denied = firstConcern(deny, call);
  if (denied)
    return {
      decision: "deny",
      step: "deny",
      ...denied,
      reason: `The rule ${denied.rule} forbids it.`,
    };
  if (knowsWorkspace) {
    const unusable = unusableArgument(call);
    if (unusable) return { decision: "deny", step: "protected", ...unusable };
    if (byMode === "deny")
      return { decision: "deny", step: "mode", reason: `The mode ${mode} forbids changes.` };
    const protectedCall = alwaysAsks(call);
    if (protectedCall) return { decision: "approve", step: "protected", ...protectedCall };
  }
  // Without a workspace, a mode that forbids does so all the same, unless a rule would allow the line.
  const unreadable = unreadableLine(call, forbidding);
  if (unreadable && byMode !== "deny")
    return { decision: "approve", step: "protected", ...unreadable };
  const asked = firstConcern(ask, call);
  if (asked)
    return {
      decision: "approve",
      step: "ask",
      ...asked,
      reason: `The rule ${asked.rule} asks for approval.`,
    };

  const allow = rulesOf(lists, "allow");
  const rules = allow.map(({ rule }) => rule);
  const allowing =
    call.patternKind === "command"
      ? allowLine(rules, call, mode, !forbidding.some(speaksOfReading))?.rules
      : allowingRules(rules, call);
  if (knowsWorkspace) {
    const risky =
      (context.untrusted ? reachesOut(call, allowing) : undefined) ??
      (mode === "bypassPermissions" ? undefined : outside(call, allowing));
    // A line without an allowance needs approval anyway, and the mode gives the reason.
    if (risky) return { decision: "approve", step: "protected", ...risky };
  }
  if (unreadable && allowing && allowing.length > 0)
    return { decision: "approve", step: "protected", ...unreadable };
  if (allowing && allowing.length > 0) {
    const rule = allowing.join(", ");
    const layer = allow.find((placed) => placed.rule === allowing[0])?.layer;
    const reason = `The rule ${rule} allows it.`;
    return defined({ decision: "auto", step: "allow", rule, layer, reason });
  }
  if (allowing && byMode === "approve")
    return { decision: "auto", step: "mode", reason: "It is read-only within the workspace." };
  // Shows a person which programs a command in another repository would start.
  const isLine = call.patternKind === "command";
  const started = isLine && byMode === "approve" ? strangeRepository(call) : undefined;
  return { decision: byMode, step: "mode", reason: modeReason(byMode, mode), ...started };
}

function firstConcern(
  rules: readonly PlacedRule[],
  call: PermissionCall,
): (PlacedRule & { command?: string }) | undefined {
  for (const placed of rules) {
    const found = concerns(placed.rule, call);
    if (found) return { ...placed, ...found };
  }
  return undefined;
}

function speaksOfReading({ rule }: PlacedRule): boolean {
  const pattern = parsePattern(rule);
  return pattern !== undefined && isAboutReading(pattern);
}

function modeReason(decision: PermissionDecision, mode: PermissionMode): string {
  if (decision === "auto") return `The mode ${mode} allows it.`;
  if (decision === "deny") return `The mode ${mode} forbids it.`;
  return `No rule covers it, and the mode ${mode} asks for approval.`;
}
