import type { SessionEvent } from "@robota/runtime";
import type { PermissionDecisionRecord } from "@robota/runtime/permissions";
import { modeNames } from "../tools/reason-words.ts";

/** One decision about a call, in words. */
export interface DecisionLine {
  seq: number;
  text: string;
}

const deciders: Readonly<Record<PermissionDecisionRecord["by"], string>> = {
  person: "you",
  handler: "the program",
  rule: "a rule",
  mode: "the mode",
  grant: "an earlier “always”",
  hook: "a hook",
  abort: "stopping the turn",
  default: "nobody being there",
};

/** Decisions made by then: by people, rules, the mode and hooks. */
export function decisionsAt(events: readonly SessionEvent[], position: number): DecisionLine[] {
  const calls = new Map<string, string>();
  const lines: DecisionLine[] = [];
  for (const event of events.slice(0, position)) {
    if (event.type === "permission_request") calls.set(event.request.id, callText(event.request));
    const text = textOf(event, calls);
    if (text !== undefined) lines.push({ seq: event.seq, text });
  }
  return lines;
}

function textOf(event: SessionEvent, calls: ReadonlyMap<string, string>): string | undefined {
  switch (event.type) {
    case "permission_auto": {
      const by = event.rule ?? deciders[event.by];
      return `${event.tool}: ${event.decision === "auto" ? "allowed" : "denied"} by ${by}`;
    }
    case "permission_decision": {
      const { allow, by, scope, reason } = event.decision;
      const call = calls.get(event.requestId) ?? "A call";
      const extent = scope && scope !== "once" ? ` for this ${scope}` : "";
      return `${call}: ${allow ? "allowed" : "denied"} by ${deciders[by]}${extent}${reason ? `: ${reason}` : ""}`;
    }
    case "permission_revoked":
      return `${event.pattern}: revoked`;
    case "mode_change":
      return `Mode: ${modeNames[event.mode]}`;
    case "hook_run":
      return event.outcome === "allowed" ? undefined : `${event.hook}: ${event.outcome}`;
    default:
      return undefined;
  }
}

function callText({ tool, args }: { tool: string; args: Record<string, unknown> }): string {
  const main = args["command"] ?? args["filePath"] ?? args["url"];
  return typeof main === "string" ? `${tool} ${main}` : tool;
}
