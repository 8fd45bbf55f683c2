import { explainPermission, type ToolArgs } from "@robota/runtime";
import type { TimelineEntry, ToolItem } from "@robota/react/store";
import { WORKSPACE_ROOT } from "../constants.ts";

/** Further calls are not compared: a person reads a sample. */
const MAX_CALLS = 200;

/** A call, as far as rules judge it. */
export interface JudgedCall {
  tool: string;
  args: ToolArgs;
}

/** The problem with a pattern for a tool, for a person; `undefined` when it can be stored. */
export function patternProblem(pattern: string, tool: string): string | undefined {
  const text = pattern.trim();
  if (text === tool) return undefined;
  const isInTool = text.startsWith(`${tool}(`) && text.endsWith(")");
  if (isInTool && text.length > tool.length + 2) return undefined;
  return `Write ${tool} for all of its calls, or ${tool}(…) with a pattern.`;
}

/** The pattern in words. */
export function patternMeaning(pattern: string, tool: string): string {
  if (pattern === tool) return `Matches every ${tool} call, with any arguments.`;
  const inner = pattern.slice(tool.length + 1, -1);
  if (inner === "*" || inner === "**") return `Matches every ${tool} call.`;
  if (inner.startsWith("domain:")) return `Matches every address at ${inner.slice(7)}.`;
  if (!inner.includes("*")) return `Matches only “${inner}”.`;
  return `Matches “${inner}”, where * stands for anything.`;
}

/** Reports whether a rule with this pattern would let a call run without a question. */
export function wouldAllow(pattern: string, { tool, args }: JudgedCall): boolean {
  const lists = { allow: [pattern] };
  return explainPermission(tool, args, "default", lists, { cwd: WORKSPACE_ROOT }).step === "allow";
}

/** The session's calls of a tool, latest first, each different call once, without the one in question. */
export function earlierCalls(
  timeline: readonly TimelineEntry[],
  { tool, toolCallId, args }: JudgedCall & { toolCallId: string },
): ToolItem[] {
  const seen = new Set([JSON.stringify(args)]);
  const calls: ToolItem[] = [];
  for (const entry of timeline.toReversed()) {
    if (entry.kind !== "turn") continue;
    for (const item of entry.items.toReversed()) {
      if (item.kind !== "tool") continue;
      const own = [item, ...(item.agents ?? []).flatMap((run) => run.calls)];
      for (const call of own) {
        const key = JSON.stringify(call.args);
        if (call.tool !== tool || call.id === toolCallId || seen.has(key)) continue;
        seen.add(key);
        calls.push(call);
        if (calls.length >= MAX_CALLS) return calls;
      }
    }
  }
  return calls;
}
