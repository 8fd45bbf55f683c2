import type { PermissionOption, RequestPermissionOutcome } from "@agentclientprotocol/sdk";
import type { PermissionResult } from "../../permissions/permission.ts";
import type { PermissionRequest } from "../../session/log/events.ts";

/** The answers to a request: once, and for wider scopes if a rule would let such calls through. */
export function optionsOf({ suggestedPattern }: PermissionRequest): PermissionOption[] {
  const once: PermissionOption = { optionId: "once", name: "Allow once", kind: "allow_once" };
  const deny: PermissionOption = { optionId: "deny", name: "Deny", kind: "reject_once" };
  if (suggestedPattern === undefined) return [once, deny];
  const wider: PermissionOption[] = [
    {
      optionId: "session",
      name: `Allow ${suggestedPattern} in this session`,
      kind: "allow_always",
    },
    {
      optionId: "workspace",
      name: `Always allow ${suggestedPattern} in this workspace`,
      kind: "allow_always",
    },
  ];
  return [once, ...wider, deny];
}

/** The decision of a person; `undefined` when they dismissed the question. Only a known option allows. */
export function answerOf(outcome: RequestPermissionOutcome): PermissionResult | undefined {
  if (outcome.outcome === "cancelled") return undefined;
  switch (outcome.optionId) {
    case "once":
    case "session":
    case "workspace":
      return { allow: true, scope: outcome.optionId };
    default:
      return { allow: false };
  }
}
