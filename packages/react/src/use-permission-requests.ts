import type { PermissionRequest } from "@robota/runtime";
import type { PermissionResult } from "@robota/runtime/permissions";
import { useMemo } from "react";
import { refuse } from "./refuse.ts";
import { viewOf } from "./store-of.ts";
import type { SessionConnection } from "./store/connection.ts";
import type { SessionView } from "./store/session-view.ts";
import { useSelected } from "./use-readable.ts";

export interface UsePermissionRequests {
  /** Open requests, oldest first; those of subagents carry the `agent` that asks. */
  requests: readonly PermissionRequest[];
  /**
   * Answers a request; resolves when the answer is durable.
   * @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND`
   */
  answer: (requestId: string, answer: PermissionResult) => Promise<void>;
}

/**
 * The questions that a session asks a person, and the way to answer them. They survive a reload.
 * @param session nothing while the session is not open yet; answers are refused then with `NOT_FOUND`
 * @example
 * function Approvals({ session }: { session: InteractiveSession }) {
 *   const { requests, answer } = usePermissionRequests(session);
 *   return requests.map(({ id, tool, reason }) => (
 *     <p key={id}>
 *       {tool}: {reason} <button onClick={() => void answer(id, true)}>Allow</button>
 *       <button onClick={() => void answer(id, false)}>Deny</button>
 *     </p>
 *   ));
 * }
 */
export function usePermissionRequests(
  session: SessionConnection | undefined,
): UsePermissionRequests {
  const requests = useSelected(viewOf(session), requestsOf);
  return useMemo(
    () => ({
      requests,
      answer: async (requestId, given) => session?.resolvePermission(requestId, given) ?? refuse(),
    }),
    [requests, session],
  );
}

function requestsOf({ requests }: SessionView): readonly PermissionRequest[] {
  return requests;
}
