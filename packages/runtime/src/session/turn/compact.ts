import { defined } from "../../defined.ts";
import { callSafely, RobotaError, requireArgument } from "../../errors.ts";
import { messageCharacters } from "../../context/tracker.ts";
import type { Message } from "../../messages/message.ts";
import { createRequestView } from "../../messages/project.ts";
import { callBounds } from "../call-bounds.ts";
import { compactionEvent } from "./compaction-event.ts";
import { clearToolResults, COMPACTION_PAUSED, hasShrunk } from "../state/compacted.ts";
import type { Clock } from "../../ports/assemble.ts";
import { blockedBy } from "../hooks/blocked-by.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { ModelUsage } from "../log/events.ts";
import type { SessionWriter } from "../log/session-writer.ts";
import type { SessionOptions } from "../options.ts";
import { type ContextReportParts, reportContext } from "../state/report-context.ts";
import type { TurnMeters } from "../turn-meters.ts";
import type { SessionState } from "../state/state.ts";
import type { SessionTracer } from "../trace/tracer.ts";
import { withBoundedMedia } from "./bounded-media.ts";
import { summarise } from "./summarise.ts";

/** Limit of consecutive automatic compactions that failed or hardly helped. */
const MAX_STALLED = 2;
/** Number of recent results that clearing keeps: most likely the model is working with them. */
const KEPT_RESULTS = 4;

/** Share of the window that a conversation to be summarised may fill. */
const SUMMARY_LIMIT = 0.9;

/** Error codes of failures that leave the conversation unchanged. */
const EXPECTED = new Set(["COMPACTION_FAILED", "HOOK_BLOCKED"]);

export interface CompactionParts extends ContextReportParts {
  readonly options: Pick<
    SessionOptions,
    | "provider"
    | "providerTimeout"
    | "progressTimeout"
    | "callTimeout"
    | "compactInstructions"
    | "onContextUpdate"
    | "onCompact"
    | "onCompactEvent"
  >;
  readonly clock: Clock;
  readonly state: SessionState;
  readonly writer: SessionWriter;
  readonly hooks: SessionHooks;
  readonly tracer: SessionTracer | undefined;
  /** The budgets of the session and of its present or next turn. */
  readonly meters: TurnMeters;
  /** Share of the window above which the session compacts automatically; `false` for never. */
  readonly autoCompactThreshold: number | false;
}

export type CompactionTrigger = "auto" | "manual";

/** The result of `compact`. */
export interface CompactionReport {
  trigger: CompactionTrigger;
  /** Tokens. */
  before: number;
  after: number;
  /** Set for an empty conversation: no model was asked, and nothing has changed. */
  isEmpty?: true;
}

export interface CompactionOptions {
  trigger: CompactionTrigger;
  /** Points for the summary to keep; empty for the session's own instructions. */
  instructions?: string | undefined;
  signal: AbortSignal;
}

/**
 * Replaces the conversation by a summary of the model's; the log keeps the original. Until the summary is durable, and
 * when it fails, the conversation stays unchanged. The prompts of an open turn stay after the summary. Its tokens count
 * for the budgets.
 * @throws {RobotaError} `COMPACTION_FAILED`, `HOOK_BLOCKED`, `BUDGET_EXCEEDED`
 * @throws {DOMException} `AbortError`
 */
export async function compactConversation(
  parts: CompactionParts,
  { trigger, instructions = "", signal }: CompactionOptions,
): Promise<CompactionReport> {
  requireArgument("instructions", instructions);
  const { requestContext, options, clock, writer, state, hooks } = parts;
  const { tracker } = requestContext;
  if (!state.messages.some(isSummarised)) {
    const tokens = tracker.usedTokens();
    return { trigger, before: tokens, after: tokens, isEmpty: true };
  }
  const refusal = parts.meters.current.refusal();
  if (refusal) throw refusal;
  const wishes = instructions || (options.compactInstructions ?? "");
  const added = await askHooks(parts, trigger, wishes, signal);
  const before = tracker.usedTokens();
  announce(parts, false);
  const { text: summary, used } = await summarise({
    provider: options.provider,
    messages: requestFor(parts),
    instructions: [wishes, added].filter((text) => text !== "").join("\n\n"),
    ...callBounds(options),
    onUnused: (unused) => {
      count(parts, unused);
      parts.log.stream({ type: "note", kind: "summary-unused", data: unused });
    },
    recorded: parts.tracer?.summary(),
    signal,
    ...clock,
  }).finally(() => announce(parts, true));
  if (used) count(parts, used);
  const kept = state.turn ? askedInTurn(state.messages, state.turn.messageIds) : [];
  const keptCharacters = kept.reduce((sum, message) => sum + messageCharacters(message), 0);
  const report = { trigger, before, after: tracker.estimate(summary.length + keptCharacters) };
  const ids = kept.map(({ id }) => id);
  await writer.commit({
    type: "compaction",
    ...report,
    summary,
    ...defined({ kept: ids.length > 0 ? ids : undefined, used }),
  });
  reportContext(parts);
  callSafely(() => options.onCompact?.(summary));
  callSafely(() => options.onCompactEvent?.(compactionEvent(report, tracker.maxTokens)));
  // The summary stands, even if a hook fails.
  await hooks.run("PostCompact", { trigger, compact_summary: summary }).catch(() => undefined);
  return report;
}

function announce({ log }: CompactionParts, isDone: boolean): void {
  log.stream({ type: "note", kind: "summarising", data: { isDone } }, { transient: true });
}

function count(parts: CompactionParts, { model, usage }: ModelUsage): void {
  const meter = parts.meters.current;
  meter.addAside(usage, meter.costOf(usage, model));
}

/** The points that hooks want the summary to keep. @throws {RobotaError} `HOOK_BLOCKED` */
async function askHooks(
  { hooks }: CompactionParts,
  trigger: CompactionTrigger,
  wishes: string,
  signal: AbortSignal,
): Promise<string> {
  const fields = defined({ trigger, custom_instructions: wishes || undefined });
  const outcome = await hooks.run("PreCompact", fields, signal);
  if (outcome?.blocked) throw blockedBy("The compaction", outcome.reason);
  return outcome?.additionalContext ?? "";
}

/** The rest of `compactIfNeeded`, for a window that is over the threshold. */
export async function compactAutomatically(
  parts: CompactionParts,
  threshold: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { requestContext, state, writer } = parts;
  if (await clearOldResults(parts)) return true;
  if (state.stalledCompactions >= MAX_STALLED) return pause(parts);
  // The turn ends with the budget's error at its next request.
  if (parts.meters.current.refusal()) return false;
  try {
    await compactConversation(parts, { trigger: "auto", signal });
  } catch (error) {
    if (signal.aborted) return false;
    if (!(error instanceof RobotaError) || !EXPECTED.has(error.code)) throw error;
    const data = { code: error.code, message: error.message };
    await writer.commit({ type: "note", kind: "auto-compact-failed", data });
  }
  return !requestContext.tracker.isOver(threshold);
}

/** Reports once that automatic compaction is paused. */
async function pause({ writer, requestContext }: CompactionParts): Promise<false> {
  const { usedTokens, maxTokens } = requestContext.tracker.state;
  const data = { usedTokens, maxTokens };
  await writer.commit({ type: "note", kind: COMPACTION_PAUSED, data });
  return false;
}

/** Clears old tool results where that frees enough; resolves to whether the window is below the threshold now. */
async function clearOldResults(parts: CompactionParts): Promise<boolean> {
  const { requestContext, state, writer } = parts;
  const { tracker } = requestContext;
  const before = tracker.usedTokens();
  const saved = savedCharacters(state.messages);
  const after = before - (before - tracker.estimate(0)) * saved;
  const report = { before, after: Math.round(after) };
  if (!hasShrunk(before, report.after)) return false;
  await writer.commit({ type: "tool_results_cleared", keep: KEPT_RESULTS, ...report });
  reportContext(parts);
  return !tracker.isOver(parts.autoCompactThreshold || 1);
}

/** The share of the conversation's characters that clearing old results would remove. */
function savedCharacters(messages: readonly Message[]): number {
  const all = characters(messages);
  return all === 0 ? 0 : 1 - characters(clearToolResults(messages, KEPT_RESULTS)) / all;
}

function characters(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageCharacters(message), 0);
}

function askedInTurn(messages: readonly Message[], ids: readonly string[]): Message[] {
  return messages.filter(({ id, role }) => role === "user" && ids.includes(id));
}

/**
 * True for messages to be summarised: a system message stays in force unchanged, and is not part of the conversation.
 */
function isSummarised({ role }: Message): boolean {
  return role !== "system";
}

/** The conversation, shortened to the limits of a request: old results go first, then the oldest messages and images. */
function requestFor({ requestContext, state, clock }: CompactionParts): readonly Message[] {
  const { tracker } = requestContext;
  // Leaves room for the request and the summary itself.
  const limit = SUMMARY_LIMIT * tracker.maxTokens;
  let messages = state.messages.filter(isSummarised);
  if (tracker.usedTokens() > limit) {
    const perCharacter = tracker.usedTokens() / Math.max(1, characters(state.messages));
    messages = clearToolResults(messages, KEPT_RESULTS);
    let tokens = characters(messages) * perCharacter;
    let first = 0;
    for (; tokens > limit && first < messages.length - 1; first++) {
      tokens -= characters(messages.slice(first, first + 1)) * perCharacter;
    }
    messages = messages.slice(first);
  }
  return createRequestView("", new Date(clock.now())).update(withBoundedMedia(messages));
}
