import { callSafely, RobotaError } from "../../errors.ts";
import { messageCharacters } from "../../context/tracker.ts";
import type { Message } from "../../messages/message.ts";
import { createRequestView } from "../../messages/project.ts";
import { compactionEvent } from "./compaction-event.ts";
import { clearToolResults, COMPACTION_PAUSED, hasShrunk } from "../state/compacted.ts";
import { reportContext, type SessionCore } from "../core.ts";
import { blockedBy } from "../hooks/session-hooks.ts";
import { summarise } from "./summarise.ts";

/** After so many automatic compactions in a row that hardly helped, no more are tried. */
const MAX_FRUITLESS = 2;
/** Results that stay whole when old ones are cleared: what the model is most likely working with. */
const KEPT_RESULTS = 4;

/** Share of the window that a conversation to be summarised may fill. */
const SUMMARY_LIMIT = 0.9;

/** What leaves the conversation as it is. */
const EXPECTED = new Set(["COMPACTION_FAILED", "HOOK_BLOCKED"]);

export type CompactionTrigger = "auto" | "manual";

/** What `compact` resolves to. */
export interface CompactionReport {
  trigger: CompactionTrigger;
  /** Tokens. */
  before: number;
  after: number;
  /** Nothing had been said: no model was asked, and nothing has changed. */
  isEmpty?: true;
}

export interface CompactionOptions {
  trigger: CompactionTrigger;
  /** What the summary keeps in view; empty for what the session was told. */
  instructions?: string;
  signal: AbortSignal;
}

/**
 * Puts a summary by the model in the place of the conversation; the log keeps what was said. Until the summary is
 * durable, and when it fails, the conversation stays as it is. What an open turn was asked stays behind the summary.
 * @throws {RobotaError} `COMPACTION_FAILED`, `HOOK_BLOCKED`
 */
export async function compactConversation(
  core: SessionCore,
  { trigger, instructions = "", signal }: CompactionOptions,
): Promise<CompactionReport> {
  const { view, options, clock, journal, state, hooks } = core;
  const { tracker } = view;
  if (!state.messages.some(isSaid)) {
    const tokens = tracker.usedTokens();
    return { trigger, before: tokens, after: tokens, isEmpty: true };
  }
  const wishes = instructions || (options.compactInstructions ?? "");
  const added = await askHooks(core, trigger, wishes, signal);
  const before = tracker.usedTokens();
  const summary = await summarise({
    provider: options.provider,
    messages: requestFor(core),
    instructions: [wishes, added].filter((text) => text !== "").join("\n\n"),
    idleTimeoutMs: options.providerTimeout ?? 0,
    recorded: core.recorder?.summary(),
    signal,
    ...clock,
  });
  const kept = state.turn ? askedInTurn(state.messages, state.turn.messageIds) : [];
  const keptCharacters = kept.reduce((sum, message) => sum + messageCharacters(message), 0);
  const report = { trigger, before, after: tracker.estimate(summary.length + keptCharacters) };
  const ids = kept.map(({ id }) => id);
  await journal.commit({
    type: "compaction",
    ...report,
    summary,
    ...(ids.length > 0 ? { kept: ids } : {}),
  });
  reportContext(core);
  callSafely(() => options.onCompact?.(summary));
  callSafely(() => options.onCompactEvent?.(compactionEvent(report, tracker.maxTokens)));
  // The summary stands, whatever becomes of those who are told of it.
  await hooks.run("PostCompact", { trigger, compact_summary: summary }).catch(() => undefined);
  return report;
}

/** What hooks want the summary to keep in view. @throws {RobotaError} `HOOK_BLOCKED` */
async function askHooks(
  { hooks }: SessionCore,
  trigger: CompactionTrigger,
  wishes: string,
  signal: AbortSignal,
): Promise<string> {
  const fields = { trigger, ...(wishes === "" ? {} : { custom_instructions: wishes }) };
  const said = await hooks.run("PreCompact", fields, signal);
  if (said?.blocked) throw blockedBy("The compaction", said.reason);
  return said?.additionalContext ?? "";
}

/**
 * Makes room when the window is fuller than the session's threshold: first by clearing old tool results, then by a
 * summary. A failure leaves the conversation as it is, and is told in a note.
 *
 * @returns whether there is room now
 */
export async function compactIfNeeded(core: SessionCore, signal: AbortSignal): Promise<boolean> {
  const { view, state, journal } = core;
  const threshold = core.autoCompactThreshold;
  if (threshold === false || signal.aborted) return false;
  if (!view.tracker.isOver(threshold)) return true;
  if (state.isCompactionPaused) return false;
  if (await clearOldResults(core)) return true;
  if (state.fruitlessCompactions >= MAX_FRUITLESS) return giveUp(core);
  try {
    await compactConversation(core, { trigger: "auto", signal });
  } catch (error) {
    if (signal.aborted) return false;
    if (!(error instanceof RobotaError) || !EXPECTED.has(error.code)) throw error;
    const data = { code: error.code, message: error.message };
    await journal.commit({ type: "note", kind: "auto-compact-failed", data });
  }
  return !view.tracker.isOver(threshold);
}

/** Tells once that no more is tried. */
async function giveUp({ journal, view }: SessionCore): Promise<false> {
  const { usedTokens, maxTokens } = view.tracker.state;
  const data = { usedTokens, maxTokens };
  await journal.commit({ type: "note", kind: COMPACTION_PAUSED, data });
  return false;
}

/** Resolves to whether that alone made enough room. */
async function clearOldResults(core: SessionCore): Promise<boolean> {
  const { view, state, journal } = core;
  const { tracker } = view;
  const before = tracker.usedTokens();
  const saved = savedCharacters(state.messages);
  const after = before - (before - tracker.estimate(0)) * saved;
  const report = { before, after: Math.round(after) };
  if (!hasShrunk(before, report.after)) return false;
  await journal.commit({ type: "tool_results_cleared", keep: KEPT_RESULTS, ...report });
  reportContext(core);
  return !tracker.isOver(core.autoCompactThreshold || 1);
}

/** The share of the conversation's characters that clearing old results would take away. */
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

/** Whether it is part of what is summarised: a system message stays in force as it is, and is nobody's words. */
function isSaid({ role }: Message): boolean {
  return role !== "system";
}

/** What was said, or as much of it as a summary can be asked for: old results go first, then the oldest messages. */
function requestFor({ view, state, clock }: SessionCore): readonly Message[] {
  const { tracker } = view;
  // The request and the summary itself need room too.
  const limit = SUMMARY_LIMIT * tracker.maxTokens;
  let said = state.messages.filter(isSaid);
  if (tracker.usedTokens() > limit) {
    const perCharacter = tracker.usedTokens() / Math.max(1, characters(state.messages));
    said = clearToolResults(said, KEPT_RESULTS);
    let tokens = characters(said) * perCharacter;
    let first = 0;
    for (; tokens > limit && first < said.length - 1; first++) {
      tokens -= characters(said.slice(first, first + 1)) * perCharacter;
    }
    said = said.slice(first);
  }
  return createRequestView("", new Date(clock.now())).update(said);
}
