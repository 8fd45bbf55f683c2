import { defined } from "../../defined.ts";
import type { ToolCall } from "../../messages/message.ts";
import type { HookAnswer } from "../approvals/answers.ts";
import type { PermissionRequest } from "../log/events.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** The answer of hooks to a permission request; `undefined` leaves it to others. */
export async function askHooks(
  hooks: SessionHooks,
  { tool, args, toolCallId, suggestedPattern }: PermissionRequest,
  signal: AbortSignal,
): Promise<HookAnswer | undefined> {
  const outcome = await hooks.run(
    "PermissionRequest",
    defined({
      tool_name: tool,
      tool_input: args,
      tool_use_id: toolCallId,
      permission_suggestions: suggestedPattern === undefined ? undefined : [suggestedPattern],
    }),
    signal,
  );
  const reason = outcome?.reason ?? outcome?.permissionDecisionReason;
  const because = reason === undefined ? {} : { reason };
  if (outcome?.blocked || outcome?.permissionDecision === "deny")
    return { allow: false, ...because, ...defined({ interrupt: outcome.stopped || undefined }) };
  if (outcome?.permissionDecision !== "allow") return undefined;
  const { updatedInput } = outcome;
  return { allow: true, ...because, ...defined({ updatedArgs: updatedInput }) };
}

/** Notifies hooks of a denied call, without waiting for them. */
export function notifyDenied(hooks: SessionHooks, call: ToolCall, reason: string): void {
  const { name: tool_name, args: tool_input, id: tool_use_id } = call;
  hooks
    .run("PermissionDenied", { tool_name, tool_input, tool_use_id, reason })
    .catch(() => undefined);
}

/** Notifies hooks of a pending request, without waiting for them. */
export function notifyWaiting(hooks: SessionHooks, { tool }: PermissionRequest): void {
  hooks
    .run("Notification", {
      message: `Your permission is needed to use ${tool}`,
      notification_type: "permission_prompt",
    })
    .catch(() => undefined);
}
