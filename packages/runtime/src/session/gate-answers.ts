import { ValidationError } from "../errors.ts";
import type { ToolArgs } from "../messages/message.ts";
import { parsePattern } from "../permissions/parse-pattern.ts";
import type { PermissionAnswer, PermissionResult } from "../permissions/permission.ts";
import type { PermissionDecisionRecord, PermissionRequest } from "./events.ts";

/**
 * A program's answer to a call that needs approval. `'allow-session'` stores the narrow rule that covers this call.
 * A handler that throws denies.
 */
export type PermissionHandler = (
  tool: string,
  args: ToolArgs,
  request: PermissionRequest,
) => Promise<PermissionResult> | PermissionResult;

/** What a program says of a request before any person is asked; `undefined` leaves it to the next. */
export type RequestHook = (
  request: PermissionRequest,
  signal: AbortSignal,
) => Promise<PermissionAnswer | undefined>;

/** Only `true` allows, whatever a client or a program sent. */
export function recordOf(
  result: PermissionResult,
  by: PermissionDecisionRecord["by"],
): PermissionDecisionRecord {
  if (typeof result === "boolean") return { allow: result, by };
  if (result === "allow-session") return { allow: true, scope: "session", by };
  if (typeof result !== "object" || result === null) return { allow: false, by };
  if (result.allow === true) return { ...result, by };
  return { allow: false, by, ...(result.reason === undefined ? {} : { reason: result.reason }) };
}

/** An approval is never read from a failure. */
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
 * A wide scope without a pattern gets the narrow one that was suggested; without any, it lasts once.
 * @throws {ValidationError} for a pattern that is no rule
 */
export function withPattern(
  decision: PermissionDecisionRecord,
  request: PermissionRequest,
): PermissionDecisionRecord {
  if (!decision.allow || !decision.scope || decision.scope === "once") return decision;
  const pattern = decision.pattern ?? request.suggestedPattern;
  if (pattern === undefined) return { ...decision, scope: "once" };
  if (parsePattern(pattern)) return { ...decision, pattern };
  throw new ValidationError(`${JSON.stringify(pattern)} is no permission rule`, {
    hint: "Write Tool or Tool(pattern), such as Bash(npm test); or leave it out for the one that was suggested.",
  });
}

/** Resolves when a signal aborts, or never once it was let go of. */
export function once(signal: AbortSignal): Promise<void> & { cancel(): void } {
  let cancel = (): void => {};
  const promise = new Promise<void>((resolve) => {
    const listener = (): void => resolve();
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener, { once: true });
    cancel = () => signal.removeEventListener("abort", listener);
  });
  return Object.assign(promise, { cancel });
}
