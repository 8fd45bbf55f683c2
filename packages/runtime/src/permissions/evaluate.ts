import type { ToolAccess } from "../tools/tool.ts";
import type { ToolArgs } from "../messages/message.ts";
import { ValidationError } from "../errors.ts";
import {
  allowingRules,
  concerns,
  describeCall,
  parsePattern,
  type PermissionPattern,
} from "./pattern.ts";
import type { PermissionDecision, PermissionLists, PermissionMode } from "./permission.ts";
import { hasControlCharacters } from "./shell-words.ts";

export interface PermissionContext {
  /** Where relative paths start; `/` when omitted. */
  cwd?: string;
  /** What the tool says of itself, for tools that are not built in. */
  access?: ToolAccess;
  /** The argument that rules for the tool are matched against, as its `Tool.patternArgument` says. */
  patternArgument?: string;
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

/**
 * Whether a call runs at once, needs a person's approval, or does not run: deny rules, ask rules, allow rules, then the
 * mode. Rules for command lines go by the text alone: they save prompts, and do not contain a program that runs.
 * A deny or ask rule that does not parse counts for every call of the tool it begins with.
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

/** The same decision with the rule or mode that made it. */
export function explainPermission(
  tool: string,
  args: ToolArgs,
  mode: PermissionMode,
  lists: PermissionLists = {},
  context: PermissionContext = {},
): PermissionExplanation {
  const call = describeCall(tool, args, context);
  const forbids = (rules: readonly string[] | undefined): string | undefined =>
    rules?.find((rule) => concerns(rule, call));

  const denied = forbids(lists.deny);
  if (denied !== undefined)
    return {
      decision: "deny",
      step: "deny",
      rule: denied,
      reason: `The rule ${denied} forbids it.`,
    };
  const asked = forbids(lists.ask);
  if (asked !== undefined)
    return {
      decision: "approve",
      step: "ask",
      rule: asked,
      reason: `The rule ${asked} asks for approval.`,
    };
  const allowed = allowingRules(parseRules(lists.allow), call)?.join(", ");
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
 * Fails when one of the lists holds something that is no rule, which would otherwise allow nothing or forbid too much.
 * @throws {ValidationError} that names the rule
 */
export function checkRules(lists: PermissionLists): void {
  for (const kind of ["deny", "ask", "allow"] as const) {
    for (const rule of lists[kind] ?? []) {
      if (typeof rule === "string" && parsePattern(rule)) continue;
      throw new ValidationError(`${JSON.stringify(rule)} in "${kind}" is no permission rule`, {
        hint: "Write Tool or Tool(pattern), such as Read, Bash(npm test), Write(/src/**) or mcp__server__*.",
      });
    }
  }
}

/**
 * The narrowest rule that lets the same call through again: the exact command, the exact file. `undefined` when no rule
 * can say just that, as with a text that holds `*`. A tool that is not built in and has no `patternArgument` is
 * suggested as a whole.
 */
export function suggestPattern(
  tool: string,
  args: ToolArgs,
  context: Pick<PermissionContext, "patternArgument"> = {},
): string | undefined {
  const { patternArgument, value } = describeCall(tool, args, context);
  if (tool.includes("*") || !parsePattern(tool)) return undefined;
  if (patternArgument === undefined) return tool;
  if (value === undefined || value.includes("*") || hasControlCharacters(value)) return undefined;
  const isAbsolute = ["Read", "Write", "Edit"].includes(tool) && value.startsWith("/");
  const rule = `${tool}(${isAbsolute ? "/" : ""}${tool === "Bash" ? value.trim() : value})`;
  return parsePattern(rule) ? rule : undefined;
}
