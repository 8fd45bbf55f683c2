import { isMissingPayload, isPayloadReference, type SessionLogEntry } from "./entry.ts";
import type { ReplayLogIssue, ReplayLogIssueCode } from "./issues.ts";
import { isObject } from "./lines.ts";
import { readMutation } from "./logged-mutation.ts";
import { isSoundReference } from "./payload-reference.ts";

/** The entries that must follow a request, and the issue for each missing one. */
const ANSWERS = {
  provider_native_raw_payload: "missing-native-raw-payload",
  provider_response_raw: "missing-raw-response",
  provider_response_normalized: "missing-normalized-response",
} as const satisfies Record<string, ReplayLogIssueCode>;

type AnswerEvent = keyof typeof ANSWERS;

interface Call {
  index: number;
  place: { executionId: string; round: number };
  answers: Set<AnswerEvent>;
  /** True for a failed or aborted call, whose answer is incomplete. */
  isCut: boolean;
}

/**
 * Lists the problems of a log, in the order of its entries: requests without an answer and answers without a request,
 * by `executionId` and `round`; tool calls without a result and results without a call; invalid changes of the
 * conversation; and missing payloads.
 */
export function validateSessionReplayLogEntries(
  entries: readonly SessionLogEntry[],
): ReplayLogIssue[] {
  const issues = [...callIssues(entries), ...toolIssues(entries)];
  for (const [index, entry] of entries.entries()) issues.push(...fieldIssues(entry, index));
  return issues.toSorted((a, b) => a.index - b.index);
}

function callIssues(entries: readonly SessionLogEntry[]): ReplayLogIssue[] {
  const issues: ReplayLogIssue[] = [];
  const calls = new Map<string, Call>();
  for (const [index, { event, data }] of entries.entries()) {
    const { executionId, round } = data;
    if (typeof executionId !== "string" || typeof round !== "number") continue;
    const place = { executionId, round };
    const key = JSON.stringify(place);
    const call = calls.get(key);
    if (event === "provider_request") {
      calls.set(key, { index, place, answers: new Set(), isCut: false });
    } else if (event === "error" || data["responseKind"] === "interrupted") {
      if (call) call.isCut = true;
    } else if (isAnswer(event)) {
      // A native payload can be a request, which is not an answer.
      if (data["payloadKind"] === "request") continue;
      call?.answers.add(event);
      if (!call) {
        const message = `${event} belongs to no request`;
        issues.push({ code: "orphan-response", message, index, ...place });
      }
    }
  }
  for (const { index, place, answers, isCut } of calls.values()) {
    if (isCut) continue;
    for (const [event, code] of Object.entries(ANSWERS) as [AnswerEvent, ReplayLogIssueCode][]) {
      if (answers.has(event)) continue;
      issues.push({ code, message: `The request has no ${event}`, index, ...place });
    }
  }
  return issues;
}

function isAnswer(event: string): event is AnswerEvent {
  return Object.hasOwn(ANSWERS, event);
}

function toolIssues(entries: readonly SessionLogEntry[]): ReplayLogIssue[] {
  const issues: ReplayLogIssue[] = [];
  /** Requests without a result, by run and call. */
  const open = new Map<string, { index: number; toolCallId: string; executionId: string }[]>();
  for (const [index, { event, data }] of entries.entries()) {
    const { toolCallId, executionId = "" } = data;
    if (typeof toolCallId !== "string" || typeof executionId !== "string") continue;
    const call = { index, toolCallId, executionId };
    const key = JSON.stringify([executionId, toolCallId]);
    if (event === "tool_execution_request") open.set(key, [...(open.get(key) ?? []), call]);
    if (event !== "tool_execution_result") continue;
    if (open.get(key)?.shift()) continue;
    const message = "The result belongs to no tool call";
    issues.push({ code: "unmatched-tool-result", message, ...call });
  }
  for (const call of [...open.values()].flat())
    issues.push({
      code: "unmatched-tool-request",
      message: "The tool call has no result",
      ...call,
    });
  return issues;
}

function fieldIssues(entry: SessionLogEntry, index: number): ReplayLogIssue[] {
  const issues: ReplayLogIssue[] = [];
  for (const [name, value] of Object.entries(entry.data)) {
    if (isMissingPayload(value)) {
      const { sha256, message } = value;
      issues.push({ code: "payload-missing", message: `${name}: ${message}`, index, sha256 });
    } else if (isPayloadReference(value) && !isSoundReference(value)) {
      const message = `${name} refers to no payload`;
      issues.push({ code: "invalid-payload-reference", message, index });
    } else if (isObject(value) && value["kind"] === "history" && !isUpTo(value["upTo"])) {
      const message = `${name} refers to no point of the conversation`;
      issues.push({ code: "invalid-history-reference", message, index });
    }
  }
  const isLeftOut = Object.values(entry.data).some(
    (value) => isMissingPayload(value) || isPayloadReference(value),
  );
  if (entry.event === "history_mutation" && !isLeftOut && !readMutation(entry)) {
    const message = "The change of the conversation can't be made out";
    issues.push({ code: "invalid-history-mutation", message, index });
  }
  return issues;
}

function isUpTo(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
