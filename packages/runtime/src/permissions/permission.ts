import { ValidationError } from "../errors.ts";
import type { ToolArgs } from "../messages/message.ts";

/**
 * What runs without asking: `plan` only looks; `default` asks before changes; `acceptEdits` asks before commands and
 * the network; `bypassPermissions` asks nothing that no rule forbids.
 */
export type PermissionMode = "plan" | "default" | "acceptEdits" | "bypassPermissions";

export const PERMISSION_MODES: readonly PermissionMode[] = [
  "plan",
  "default",
  "acceptEdits",
  "bypassPermissions",
];

export type PermissionDecision = "auto" | "approve" | "deny";

/** Patterns such as `Read`, `Bash(git status)`, `Bash(pnpm *)`, `Write(/src/**)`. */
export interface PermissionLists {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /** More lists, each with the name of where it comes from. Their rules count as if they stood in the lists above. */
  layers?: readonly PermissionLayer[];
  /** By rule: calls that it must and must not be about. `checkRules` tries them, so that a rule says what it means. */
  examples?: Readonly<Record<string, RuleExamples>>;
}

export interface PermissionLayer {
  /** Such as `user`, `project` or the path of a settings file. */
  name: string;
  lists: PermissionLists;
}

/** Command lines, paths, addresses: whatever the rule's tool is matched by. */
export interface RuleExamples {
  match?: readonly string[];
  notMatch?: readonly string[];
}

export type RuleKind = "allow" | "ask" | "deny";

/** A rule and the layer it stands in. */
export interface PlacedRule {
  rule: string;
  layer?: string;
}

/** Every rule of a kind, those of the lists themselves first. */
export function rulesOf(lists: PermissionLists, kind: RuleKind): PlacedRule[] {
  const rules: PlacedRule[] = [];
  for (const rule of lists[kind] ?? []) rules.push({ rule });
  for (const { name, lists: inner } of lists.layers ?? [])
    for (const { rule, layer = name } of rulesOf(inner, kind)) rules.push({ rule, layer });
  return rules;
}

/** How much a person trusts an agent, in words. */
export type TrustLevel = "safe" | "moderate" | "full";

export const TRUST_TO_MODE: Readonly<Record<TrustLevel, PermissionMode>> = {
  safe: "plan",
  moderate: "default",
  full: "acceptEdits",
};

/** A person's (or a program's) answer to a request for permission. */
export interface PermissionAnswer {
  allow: boolean;
  scope?: "once" | "turn" | "session" | "workspace";
  pattern?: string;
  reason?: string;
  updatedArgs?: ToolArgs;
}

/** What a handler returns and `resolvePermission` takes: an answer, the words of the wire's answer, or a bare yes or no. */
export type PermissionResult =
  | boolean
  | "allow"
  | "deny"
  | "allow-session"
  | PermissionAnswer
  | (Omit<PermissionAnswer, "allow"> & { decision: "allow" | "deny" });

/** @throws {ValidationError} for anything that is no mode */
export function requirePermissionMode(mode: string): asserts mode is PermissionMode {
  if ((PERMISSION_MODES as readonly string[]).includes(mode)) return;
  throw new ValidationError(`"${mode}" is no permission mode`, {
    hint: `Use one of ${PERMISSION_MODES.join(", ")}.`,
  });
}
