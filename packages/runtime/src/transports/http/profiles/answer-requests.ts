import { SessionError } from "../../../errors.ts";
import type { InteractiveSession } from "../../../interactive/interactive-session.ts";
import type { PermissionResult } from "../../../permissions/permission.ts";

/** Answers the requests that wait; those that somebody else has answered meanwhile stay as they are. */
export async function answerRequests(
  session: InteractiveSession,
  answers: readonly { id: string; answer: PermissionResult }[],
): Promise<void> {
  for (const { id, answer } of answers) {
    if (!session.pendingPermissions().some((request) => request.id === id)) continue;
    try {
      await session.resolvePermission(id, answer);
    } catch (error) {
      if (!(error instanceof SessionError) || error.code !== "ALREADY_ANSWERED") throw error;
    }
  }
}
