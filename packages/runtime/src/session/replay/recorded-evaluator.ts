import type { PermissionExplanation } from "../../permissions/evaluate.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { PermissionEvaluator } from "../approvals/approvals.ts";
import type { ReplayCursor } from "./replay-cursor.ts";
import { indexOfCall } from "./tool-facts.ts";

type Explained = Awaited<ReturnType<PermissionEvaluator["explain"]>>;

const DENIED = "Permission denied. The call was not run.";
const BECAUSE = " Reason: ";

/** Repeats the recorded decision on each call. Rules, modes and files are not used. */
export function recordedEvaluator(cursor: ReplayCursor): PermissionEvaluator {
  /** Canonical paths, by waiting call. */
  const asked = new Map<string, string[]>();
  return {
    async explain(_tool, _args, { toolCallId }): Promise<Explained> {
      const index = indexOfCall(cursor, toolCallId);
      const next = index === undefined ? undefined : cursor.at(index);
      switch (next?.type) {
        case "permission_auto": {
          await cursor.due(index);
          const { by, decision, reason } = next;
          if (by === "hook") return { decision: "approve", step: "mode", reason: "", paths: [] };
          const step = next.step === "hook" ? "mode" : next.step;
          return { decision, step, reason, ...ruleOf(next), paths: [] };
        }
        case "permission_request": {
          await cursor.due(index);
          const { reason, paths = [] } = next.request;
          asked.set(toolCallId, paths);
          return { decision: "approve", step: "mode", reason, ...ruleOf(next.request), paths };
        }
        case "permission_decision":
          return { decision: "approve", step: "mode", reason: "", paths: [] };
        case "tool_start":
          return { decision: "auto", step: "allow", reason: "", paths: pathsOf(toolCallId) };
        case "tool_end":
          return {
            decision: "deny",
            step: "deny",
            reason: reasonOf(next.message.content),
            paths: pathsOf(toolCallId),
          };
        default:
          // Allowed before, and judged once more; the run ends before the call begins.
          if (asked.has(toolCallId))
            return { decision: "auto", step: "allow", reason: "", paths: pathsOf(toolCallId) };
          await cursor.due();
          return { decision: "deny", step: "deny", reason: "", paths: [] };
      }
    },
    suggest: ({ toolCallId }: ToolContext) =>
      cursor.findOf("permission_request", ({ request }) => request.toolCallId === toolCallId)
        ?.request.suggestedPattern,
  };

  function pathsOf(callId: string): string[] {
    const paths = asked.get(callId) ?? [];
    asked.delete(callId);
    return paths;
  }
}

type RecordedRule = Pick<PermissionExplanation, "rule" | "layer" | "command">;

function ruleOf({ rule, layer, command }: RecordedRule): RecordedRule {
  return { rule, layer, command };
}

function reasonOf(content: unknown): string {
  const text = typeof content === "string" ? content : "";
  return text.startsWith(`${DENIED}${BECAUSE}`) ? text.slice(DENIED.length + BECAUSE.length) : "";
}
