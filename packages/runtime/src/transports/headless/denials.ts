import { defined } from "../../defined.ts";
import type { PermissionRequest, SessionEvent } from "../../session/log/events.ts";

/** A denied call, for programs that read the result. */
export interface Denial {
  toolCallId: string;
  tool: string;
  /** The rule that forbids or asks; absent where the mode does. */
  rule?: string;
  reason: string;
  /** The pattern for an allow rule that permits such a call; absent when no rule can. */
  suggestedPattern?: string;
}

/** Collects the calls that were not allowed from a session's events. */
export class Denials {
  readonly #asked = new Map<string, PermissionRequest>();
  #denied = new Map<string, Denial>();

  readonly take = (event: SessionEvent): void => {
    if (event.type === "permission_request") this.#asked.set(event.request.id, event.request);
    if (event.type === "permission_auto" && event.decision === "deny") {
      const { toolCallId, tool, rule, reason } = event;
      this.#denied.set(toolCallId, defined({ toolCallId, tool, rule, reason }));
    }
    if (event.type !== "permission_decision" || event.decision.allow) return;
    const request = this.#asked.get(event.requestId);
    // An unanswered request has the reason; the decision only says that the turn was stopped.
    if (request)
      this.add(request, event.decision.by === "hook" ? event.decision.reason : undefined);
  };

  add(
    { toolCallId, tool, rule, reason, suggestedPattern }: PermissionRequest,
    ownReason = reason,
  ): void {
    const denial = { toolCallId, tool, rule, reason: ownReason, suggestedPattern };
    this.#denied.set(toolCallId, defined(denial));
  }

  /** The calls denied since the last time. */
  drain(): Denial[] {
    const denied = [...this.#denied.values()];
    this.#denied = new Map();
    return denied;
  }
}
