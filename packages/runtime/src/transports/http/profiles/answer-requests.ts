import { SessionError } from "../../../errors.ts";
import type { InteractiveSession } from "../../../interactive/interactive-session.ts";
import { elicitationOf } from "../../../interactive/mcp/form.ts";
import type { PermissionAnswer } from "../../../permissions/permission.ts";
import type { PermissionRequest } from "../../../session/log/events.ts";
import { type Principal, requireScope } from "../principal/principal.ts";

/** An answer of a client to one request. */
export interface RequestAnswer {
  id: string;
  answer: PermissionAnswer;
}

/**
 * Answers the requests that wait; those that somebody else has answered meanwhile stay as they are.
 * @throws {HttpProblem} 403 unless the principal may answer all that wait, before any is answered
 */
export async function answerRequests(
  session: InteractiveSession,
  principal: Principal,
  answers: readonly RequestAnswer[],
): Promise<void> {
  const waiting = new Map(session.pendingPermissions().map((request) => [request.id, request]));
  for (const { id, answer } of answers) requireRight(principal, waiting.get(id), answer);
  for (const { id, answer } of answers) {
    if (!session.pendingPermissions().some((request) => request.id === id)) continue;
    try {
      await session.resolvePermission(id, answer);
    } catch (error) {
      if (!(error instanceof SessionError) || error.code !== "ALREADY_ANSWERED") throw error;
    }
  }
}

/** A message needs no more than the right to send one, while an answer in it needs what the route for answers does. */
function requireRight(
  principal: Principal,
  request: PermissionRequest | undefined,
  { updatedArgs }: PermissionAnswer,
): void {
  if (!request) return;
  requireScope(principal, "approve", "Answering a request for permission");
  const isForm = elicitationOf(request.tool, request.args) !== undefined;
  if (updatedArgs && !isForm) requireScope(principal, "admin", "Changing the arguments of a call");
}
