import { onAbort } from "../../abort.ts";
import { defined } from "../../defined.ts";
import { ValidationError } from "../../errors.ts";
import type { ToolArgs } from "../../messages/message.ts";
import { parsePattern } from "../../permissions/rules/parse-pattern.ts";
import type { PermissionAnswer, PermissionResult } from "../../permissions/permission.ts";
import type { PermissionDecisionRecord, PermissionRequest } from "../log/events.ts";

/**
 * A program's answer to a call that needs approval. `'allow-session'` stores the narrow rule that covers this call.
 * A handler that throws denies.
 */
export type PermissionHandler = (
  tool: string,
  args: ToolArgs,
  request: PermissionRequest,
) => Promise<PermissionResult> | PermissionResult;

/** The answer of hooks. A denial with `interrupt` ends the turn too. */
export type HookAnswer = PermissionAnswer & Pick<PermissionDecisionRecord, "interrupt">;

/** Hooks' answer to a request before any person is asked; `undefined` leaves it to the next. */
export type RequestHook = (
  request: PermissionRequest,
  signal: AbortSignal,
) => Promise<HookAnswer | undefined>;

/**
 * Parses the answer of a client or a program: only a clear yes allows.
 * @throws {ValidationError} for anything that is neither a yes nor a no
 */
export function recordOf(
  result: PermissionResult,
  by: PermissionDecisionRecord["by"],
): PermissionDecisionRecord {
  if (typeof result !== "object" || result === null) {
    const allow = allows(result);
    return defined({ allow, scope: result === "allow-session" ? "session" : undefined, by });
  }
  const { allow: yes, decision, ...rest } = { allow: undefined, decision: undefined, ...result };
  const allow = allows(yes ?? decision);
  const { reason } = rest;
  if (allow) return { ...rest, allow, by };
  return defined({ allow, by, reason });
}

function allows(answer: unknown): boolean {
  if (answer === true || answer === "allow" || answer === "allow-session") return true;
  if (answer === false || answer === "deny") return false;
  throw new ValidationError(
    `${JSON.stringify(answer) ?? typeof answer} is not an answer to a permission request`,
    {
      hint: 'Say true or false, `{ allow: true, scope: "session" }`, or `{ allow: false, reason: "…" }`.',
    },
  );
}

/** A failure is never an approval. */
export async function callHandler(
  handler: PermissionHandler,
  request: PermissionRequest,
): Promise<PermissionDecisionRecord> {
  try {
    return recordOf(await handler(request.tool, request.args, request), "handler");
  } catch {
    return { allow: false, by: "handler", reason: "The permission handler failed." };
  }
}

/**
 * A wide scope without a pattern gets the suggested narrow one; without any, the answer lasts once.
 * @throws {ValidationError} for a malformed rule
 */
export function withPattern(
  decision: PermissionDecisionRecord,
  request: PermissionRequest,
): PermissionDecisionRecord {
  if (!decision.allow || !decision.scope || decision.scope === "once") return decision;
  const pattern = decision.pattern ?? request.suggestedPattern;
  if (pattern === undefined) return { ...decision, scope: "once" };
  if (parsePattern(pattern)) return { ...decision, pattern };
  throw new ValidationError(`${JSON.stringify(pattern)} is not a permission rule`, {
    hint: "Write Tool or Tool(pattern), such as Bash(npm test); or leave it out for the one that was suggested.",
  });
}

/** Resolves when a signal aborts; never after `cancel()`. */
export function once(signal: AbortSignal): Promise<void> & { cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return Object.assign(promise, { cancel: onAbort(signal, resolve) });
}
