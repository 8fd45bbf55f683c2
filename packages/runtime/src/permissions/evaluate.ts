import type { ToolAccess } from "../tools/tool.ts";
import type { ToolArgs } from "../messages/message.ts";
import { allowingRules, concerns, parsePattern, type PermissionPattern } from "./pattern.ts";
import type { PermissionDecision, PermissionLists, PermissionMode } from "./permission.ts";

export interface PermissionContext {
  /** Where relative paths start; `/` when omitted. */
  cwd?: string;
  /** What the tool says of itself, for tools that are not built in. */
  access?: ToolAccess;
}

export interface PermissionExplanation {
  decision: PermissionDecision;
  /** Which step decided. An `ask` rule is a step of its own between `deny` and `allow`. */
  step: "deny" | "ask" | "allow" | "mode";
  /** The rule that decided; several, joined by commas, when only together they allow a compound command. */
  rule?: string;
  /** For a person. */
  reason: string;
}

type Policy = Readonly<Record<PermissionMode, PermissionDecision>>;

const policy = (
  plan: PermissionDecision,
  standard: PermissionDecision,
  acceptEdits: PermissionDecision,
): Policy => ({ plan, default: standard, acceptEdits, bypassPermissions: "auto" });

const READS = policy("auto", "auto", "auto");
const WRITES = policy("deny", "approve", "auto");
const COMMANDS = policy("deny", "approve", "approve");
const NETWORK = policy("approve", "approve", "approve");
const UNKNOWN = policy("deny", "approve", "approve");

const KNOWN_TOOLS: Readonly<Record<string, Policy>> = {
  Read: READS,
  Glob: READS,
  Grep: READS,
  Write: WRITES,
  Edit: WRITES,
  Bash: COMMANDS,
  WebFetch: NETWORK,
  WebSearch: NETWORK,
};

const BY_ACCESS: Readonly<Partial<Record<ToolAccess, Policy>>> = {
  none: READS,
  read: READS,
  write: WRITES,
  execute: COMMANDS,
  network: NETWORK,
};

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

/** Whether a call runs at once, needs a person's approval, or does not run: deny rules, ask rules, allow rules, then the mode. */
export function evaluatePermission(
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists = {},
  context: PermissionContext = {},
): PermissionDecision {
  return explainPermission(tool, args, mode, lists, context).decision;
}

/** The same decision with the rule or mode that made it. */
export function explainPermission(
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists = {},
  context: PermissionContext = {},
): PermissionExplanation {
  const { cwd } = context;
  const forbids = (rules: readonly string[] | undefined): string | undefined =>
    rules?.find((rule) => {
      const pattern = parsePattern(rule);
      return pattern !== undefined && concerns(pattern, tool, args, cwd);
    });

  const denied = forbids(lists.deny);
  if (denied)
    return {
      decision: "deny",
      step: "deny",
      rule: denied,
      reason: `The rule ${denied} forbids it.`,
    };
  const asked = forbids(lists.ask);
  if (asked)
    return {
      decision: "approve",
      step: "ask",
      rule: asked,
      reason: `The rule ${asked} asks for approval.`,
    };
  const allowed = allowingRules(parseRules(lists.allow), tool, args, cwd)?.join(", ");
  if (allowed)
    return {
      decision: "auto",
      step: "allow",
      rule: allowed,
      reason: `The rule ${allowed} allows it.`,
    };

  const policies = Object.hasOwn(KNOWN_TOOLS, tool)
    ? KNOWN_TOOLS[tool]
    : BY_ACCESS[context.access ?? "agent"];
  const decision = (policies ?? UNKNOWN)[mode];
  return { decision, step: "mode", reason: modeReason(decision, mode) };
}

function parseRules(rules: readonly string[] = []): { rule: string; pattern: PermissionPattern }[] {
  return rules.flatMap((rule) => {
    const pattern = parsePattern(rule);
    return pattern ? [{ rule, pattern }] : [];
  });
}

function modeReason(decision: PermissionDecision, mode: PermissionMode): string {
  if (decision === "auto") return `The mode ${mode} allows it.`;
  if (decision === "deny") return `The mode ${mode} forbids it.`;
  return `No rule covers it, and the mode ${mode} asks for approval.`;
}

/**
 * The narrowest rule that lets the same call through again: the exact command, the exact file. Never a whole tool that
 * runs commands or reaches the network.
 */
export function suggestPattern(tool: string, args: ToolArgs): string | undefined {
  const exact = args.command ?? args.filePath ?? args.url;
  if (typeof exact === "string" && !/[*()\n]/.test(exact)) {
    const isPath = tool === "Write" || tool === "Edit" || tool === "Read";
    return `${tool}(${isPath && exact.startsWith("/") ? `/${exact}` : exact})`;
  }
  return Object.hasOwn(KNOWN_TOOLS, tool) ? undefined : tool;
}
