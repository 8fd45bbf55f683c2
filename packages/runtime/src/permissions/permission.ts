import { ValidationError } from "../errors.ts";
import type { ToolArgs } from "../messages/message.ts";

/** The permission modes, each less strict than the one before. */
export const PERMISSION_MODES = ["plan", "default", "acceptEdits", "bypassPermissions"] as const;

/**
 * Scope of calls without approval: `plan` only reads; `default` asks before changes; `acceptEdits` asks before commands
 * and the network; `bypassPermissions` asks nothing unless a rule denies it.
 */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** The outcome for a call: it runs at once (`auto`), waits for a person (`approve`), or is refused (`deny`). */
export type PermissionDecision = "auto" | "approve" | "deny";

/** Patterns such as `Read`, `Bash(git status)`, `Bash(pnpm *)`, `Write(/src/**)`. */
export interface PermissionLists {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /** Further lists, each with the name of its source. Their rules count as if they were in the lists above. */
  layers?: readonly PermissionLayer[];
  /** Examples by rule: calls that it must and must not match. `checkRules` tests them. */
  examples?: Readonly<Record<string, RuleExamples>>;
}

/** Rules from one source, so that a decision can name it. */
export interface PermissionLayer {
  /** Source such as `user`, `project` or the path of a settings file. */
  name: string;
  lists: PermissionLists;
}

/** Command lines, paths, addresses: values that the rule's tool is matched by. */
export interface RuleExamples {
  match?: readonly string[];
  notMatch?: readonly string[];
}

/** The list of a rule; deny beats ask, ask beats allow. */
export type RuleKind = "allow" | "ask" | "deny";

/** A rule and its layer. */
export interface PlacedRule {
  rule: string;
  layer?: string | undefined;
}

/** A rule with its list and its source. */
export interface RuleInForce {
  kind: RuleKind;
  rule: string;
  /**
   * `session` and `workspace` for rules that answers added, `program` for those of its options, else the settings file,
   * plugin or skill that the rule comes from.
   */
  layer: string;
}

/** Every rule of a kind, those of the lists themselves first. */
export function rulesOf(lists: PermissionLists, kind: RuleKind): PlacedRule[] {
  const rules: PlacedRule[] = [];
  for (const rule of lists[kind] ?? []) rules.push({ rule });
  for (const { name, lists: inner } of lists.layers ?? [])
    for (const { rule, layer = name } of rulesOf(inner, kind)) rules.push({ rule, layer });
  return rules;
}

/** Trust in an agent, as a word for a mode. */
export type TrustLevel = "safe" | "moderate" | "full";

/** The specification's trust levels as permission modes. */
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

/** Return value of a handler and argument of `resolvePermission`: an answer, the wire format's answer, or a boolean. */
export type PermissionResult =
  | boolean
  | "allow"
  | "deny"
  | "allow-session"
  | PermissionAnswer
  | (Omit<PermissionAnswer, "allow"> & { decision: "allow" | "deny" });

/** @throws {ValidationError} for an unknown mode */
export function requirePermissionMode(mode: string): asserts mode is PermissionMode {
  if ((PERMISSION_MODES as readonly string[]).includes(mode)) return;
  throw new ValidationError(`"${mode}" is not a permission mode`, {
    hint: `Use one of ${PERMISSION_MODES.join(", ")}.`,
  });
}
