import { defined } from "../../defined.ts";
import type { HookEvent, HookFields } from "../../hooks/events.ts";
import { type HookOutcome, NO_OUTCOME } from "../../hooks/outcome.ts";
import { contentText, type JsonValue } from "../../messages/message.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import type { HookAnswers } from "../hooks/session-hooks.ts";
import { originalResult } from "./notes.ts";
import type { ReplayCursor } from "./replay-cursor.ts";
import { argsOfCall, endOfCall, indexOfCall, reasonOfCall } from "./tool-facts.ts";

type Answer = Partial<HookOutcome>;
/** The used fields of tool events. */
interface ToolFields {
  tool_use_id?: string;
  tool_input?: unknown;
  tool_response?: JsonValue;
}

const CONTEXT_OPEN = "\n\n<hook-context>\n";
const CONTEXT_CLOSE = "\n</hook-context>";

/**
 * Reconstructs hook results from their recorded effects: the record holds that they ran, and the consequences. Nothing
 * is run. `runsTools`: results are not those of the record, so hooks' changes to them are inferred from the additions.
 */
export function recordedHooks(cursor: ReplayCursor, options: { runsTools: boolean }): HookAnswers {
  let found: { start: SessionEvent | undefined; events: Set<string> } | undefined;
  const recorded = (): Set<string> => {
    const start = cursor.runStart;
    if (!found || found.start !== start) found = { start, events: hookEventsOf(cursor) };
    return found.events;
  };
  return {
    has: (event) => recorded().has(event),
    async run<Event extends HookEvent>(
      event: Event,
      fields: HookFields<Event>,
    ): Promise<HookOutcome> {
      if (!recorded().has(event)) return NO_OUTCOME;
      return { ...NO_OUTCOME, ...(await answer(cursor, event, fields, options)) };
    },
    close: () => undefined,
  };
}

function hookEventsOf(cursor: ReplayCursor): Set<string> {
  const events = new Set<string>();
  cursor.find((event) => {
    if (event.type === "hook_run") events.add(event.event);
    return false;
  });
  return events;
}

async function answer(
  cursor: ReplayCursor,
  event: HookEvent,
  fields: ToolFields & object,
  options: { runsTools: boolean },
): Promise<Answer> {
  switch (event) {
    case "SessionStart":
    case "UserPromptSubmit":
      return contextOfTurn(cursor, event);
    case "PreToolUse":
      return beforeTool(cursor, fields);
    case "PostToolUse":
    case "PostToolUseFailure":
      return afterTool(cursor, fields, options);
    case "PermissionRequest":
      return ofRequest(cursor, fields);
    case "Stop":
      return atStop(cursor);
    case "PreCompact":
      return beforeCompaction(cursor);
    default:
      return {};
  }
}

/** Context that hooks add to a prompt: the hook nearest to the turn returns all of it. */
function contextOfTurn(cursor: ReplayCursor, event: "SessionStart" | "UserPromptSubmit"): Answer {
  const begin = cursor.find(({ type }) => type === "turn_start") ?? 0;
  const turn = cursor.findOf("turn_start");
  const prompt = cursor.findOf("user_message", ({ turnId }) => turnId === turn?.turnId);
  if (!turn || !prompt) return {};
  let wasAsked = false;
  for (let at = begin - 1; cursor.at(at)?.turnId === turn.turnId; at--) {
    const before = cursor.at(at);
    wasAsked ||= before?.type === "hook_run" && before.event === "UserPromptSubmit";
  }
  if (wasAsked !== (event === "UserPromptSubmit")) return {};
  const added = contentText(prompt.message.content).slice(turn.input.length);
  if (!added.startsWith(CONTEXT_OPEN) || !added.endsWith(CONTEXT_CLOSE)) return {};
  return { additionalContext: added.slice(CONTEXT_OPEN.length, -CONTEXT_CLOSE.length) };
}

async function beforeTool(cursor: ReplayCursor, fields: ToolFields): Promise<Answer> {
  const callId = fields.tool_use_id ?? "";
  const index = indexOfCall(cursor, callId);
  await cursor.due(index);
  const stop = stopOf(cursor);
  const next = index === undefined ? undefined : cursor.at(index);
  const end = endOfCall(cursor, callId)?.end;
  const added = end && (behindRefusal(cursor, end) || originalResult(cursor, end).behind);
  const context = added ? { additionalContext: added } : {};
  if (next?.type === "permission_auto" && next.by === "hook") {
    const { reason } = next;
    return next.step === "hook"
      ? { ...stop, ...context, blocked: true, reason }
      : { ...stop, ...context, permissionDecision: "allow", permissionDecisionReason: reason };
  }
  const args = argsOfCall(cursor, callId);
  const isChanged = args && JSON.stringify(args) !== JSON.stringify(fields.tool_input);
  return {
    ...stop,
    ...context,
    // Arguments are JSON on record.
    ...defined({ updatedInput: isChanged ? JSON.parse(JSON.stringify(args)) : undefined }),
  };
}

/** Text that hooks appended to the refusal of a call. */
function behindRefusal(cursor: ReplayCursor, end: SessionEventOf<"tool_end">): string {
  const { toolCallId, message, outcome } = end;
  if (!outcome.denied || typeof message.content !== "string") return "";
  const reason = reasonOfCall(cursor, toolCallId) ?? "";
  const at = message.content.indexOf(reason) + reason.length;
  return message.content.startsWith("\n\n", at) ? message.content.slice(at + 2) : "";
}

async function afterTool(
  cursor: ReplayCursor,
  fields: ToolFields,
  { runsTools }: { runsTools: boolean },
): Promise<Answer> {
  const found = endOfCall(cursor, fields.tool_use_id ?? "");
  await cursor.due(found?.index);
  const stop = stopOf(cursor);
  const content = found?.end.message.content;
  if (typeof content !== "string") return stop;
  if (!runsTools) return { ...stop, updatedToolOutput: content };
  const { tool_response: output } = fields;
  if (typeof output !== "string" || !content.startsWith(`${output}\n\n`)) return stop;
  return { ...stop, additionalContext: content.slice(output.length + 2) };
}

async function ofRequest(cursor: ReplayCursor, fields: ToolFields): Promise<Answer> {
  const isDecision = (event: SessionEvent): boolean =>
    event.type === "permission_decision" && event.toolCallId === fields.tool_use_id;
  const index = cursor.find(isDecision);
  const decided = index === undefined ? undefined : cursor.at(index);
  if (decided?.type !== "permission_decision" || decided.decision.by !== "hook") return {};
  await cursor.due(index);
  const { allow, reason, interrupt, updatedArgs } = decided.decision;
  return defined({
    permissionDecision: allow ? "allow" : "deny",
    stopped: interrupt || undefined,
    reason,
    updatedInput: updatedArgs ? JSON.parse(JSON.stringify(updatedArgs)) : undefined,
  });
}

async function atStop(cursor: ReplayCursor): Promise<Answer> {
  await cursor.due(cursor.next);
  const stop = stopOf(cursor);
  const next = cursor.peek();
  if (next?.type !== "user_message") return stop;
  return { ...stop, blocked: true, reason: contentText(next.message.content) };
}

async function beforeCompaction(cursor: ReplayCursor): Promise<Answer> {
  await cursor.due(cursor.next);
  const next = cursor.peek();
  if (!isNote(next, "auto-compact-failed")) return {};
  const { code, message } = failureOf(next.data);
  if (code !== "HOOK_BLOCKED") return {};
  return { blocked: true, reason: message.replace("The compaction was blocked by a hook: ", "") };
}

function failureOf(data: unknown): { code: string; message: string } {
  const facts = typeof data === "object" && data !== null ? data : {};
  return {
    code: "code" in facts ? String(facts.code) : "",
    message: "message" in facts ? String(facts.message) : "",
  };
}

function stopOf(cursor: ReplayCursor): Answer {
  const next = cursor.peek();
  if (!isNote(next, "hook-stopped")) return {};
  const { data } = next;
  const reason = typeof data === "object" && data !== null && "reason" in data ? data.reason : "";
  return { stopped: true, stopReason: String(reason) };
}
