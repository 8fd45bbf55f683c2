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

export type PermissionResult = boolean | "allow-session" | PermissionAnswer;

/** @throws {ValidationError} for anything that is no mode */
export function requirePermissionMode(mode: string): asserts mode is PermissionMode {
  if ((PERMISSION_MODES as readonly string[]).includes(mode)) return;
  throw new ValidationError(`"${mode}" is no permission mode`, {
    hint: `Use one of ${PERMISSION_MODES.join(", ")}.`,
  });
}
