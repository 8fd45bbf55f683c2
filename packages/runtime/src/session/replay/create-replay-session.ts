import type { RunMeter } from "../../agent/budget.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Tool } from "../../tools/tool.ts";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import type { SessionCore } from "../core.ts";
import { createCore } from "../create-core.ts";
import { CUT_TOO_OFTEN } from "../turn/pick-up-turn.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import type { PermissionHandler } from "../approvals/approvals.ts";
import type { SessionOptions } from "../options.ts";
import { ProducedEvents } from "./produced-events.ts";
import { damageIn } from "./recording.ts";
import { answerOf } from "./facts.ts";
import { recordedHooks } from "./recorded-hooks.ts";
import { recordedEvaluator } from "./recorded-evaluator.ts";
import { errorOf, recordedPlugin } from "./recorded-plugin.ts";
import { RecordedProvider } from "./recorded-provider.ts";
import { recordedRefusals } from "./recorded-refusals.ts";
import { recordedReports } from "./recorded-reports.ts";
import { followRecordedContext, recordedWindow } from "./context-replay.ts";
import { type Busy, recordedAnswers, recordedTool, runningTool } from "./recorded-tools.ts";
import { replayPlatform } from "./replay-platform.ts";
import type { ReplayCursor } from "./replay-cursor.ts";
import { REPORT } from "./texts.ts";

/** Far above any session: the record says when the session compacted. */
const UNBOUNDED = 1e12;

export interface ReplaySessionOptions {
  init: SessionEventOf<"session_init"> | undefined;
  /** Tools that run, and their platform; the others have the results of the record. */
  running: { tools: readonly Tool[]; platform: Platform } | undefined;
  busy: Busy;
  steer: (texts: readonly string[]) => void;
}

/** The parts of a session, with a recorded environment. */
export function createReplaySession(
  cursor: ReplayCursor,
  options: ReplaySessionOptions,
): SessionCore {
  const { init, running } = options;
  const storage = new MemoryStorage();
  const { reportedAtStart } = cursor;
  const handler = handlerOf(cursor);
  const sessionOptions: SessionOptions = {
    platform: replayPlatform(cursor, storage, running?.platform),
    provider: new RecordedProvider(cursor, init, options.steer),
    tools: (init?.tools ?? []).map((name) => toolOf(cursor, name, options)),
    sessionId: cursor.sessionId,
    systemMessage: init?.systemMessage ?? "",
    projectInstructions: init?.projectInstructions ?? "",
    promptReport: init?.promptReport,
    language: init?.language,
    cwd: init?.cwd ?? "/",
    ...modeOf(cursor),
    onInterruptedTurn: goesOn(cursor) ? "continue" : "end",
    permissionHandler: handler,
    unanswered: decidedBy(cursor, "default") ? "deny" : "wait",
    plugins: [recordedPlugin(cursor)],
    contextWindow: recordedWindow(cursor) ?? UNBOUNDED,
    trackFiles: false,
    // Changes of files are in the record.
    keep: false,
  };
  const core = createCore(sessionOptions, {
    hooks: recordedHooks(cursor, { runsTools: running !== undefined }),
    evaluator: recordedEvaluator(cursor),
    recordedAnswer: recordedAnswers(cursor),
    recordedReports: recordedReports(cursor),
    recordedAgain: (callId) => cursor.findOf("turn_resume")?.again.includes(callId) ?? false,
    stored: new ProducedEvents(cursor.produced, damageIn(reportedAtStart.damage)),
    onNumbered: (event, isTransient) => {
      if (isTransient) return;
      cursor.advance(event);
      skipUnstored(cursor, core);
    },
    refusalOf: recordedRefusals(cursor),
    refusal: () => recordedRefusal(cursor),
  });
  skipUnstored(cursor, core);
  // A session that has lost its beginning starts in the mode of its opening.
  if (reportedAtStart.init) core.state.mode = reportedAtStart.init.permissionMode;
  followRecordedContext(cursor, core.requestContext.tracker);
  core.log.subscribe((event) => {
    const names = toolsNamedBy(event);
    if (!names) return;
    core.tools.clear();
    for (const name of names) core.tools.set(name, toolOf(cursor, name, options));
  });
  // A copy has no accessors.
  return { ...core, toolState: core.toolState, hasStorage: true };
}

/** Leaves out the numbers that a failing storage used up: what had them may or may not be stored, and was never shown. */
function skipUnstored(cursor: ReplayCursor, { log }: SessionCore): void {
  const next = cursor.at(cursor.next);
  if (next) log.skip(next.seq - 1 - log.lastSeq);
}

/** The names of all tools from then on, in the event of a change of them. */
function toolsNamedBy(event: SessionEvent): string[] | undefined {
  if (!isNote(event, "tools-changed")) return undefined;
  const { tools } = event.data as { tools?: unknown };
  return Array.isArray(tools) ? tools.filter((name) => typeof name === "string") : undefined;
}

function toolOf(cursor: ReplayCursor, name: string, { running, busy }: ReplaySessionOptions): Tool {
  const tool = running?.tools.find((candidate) => candidate.name === name);
  return tool ? runningTool(cursor, tool, busy) : recordedTool(cursor, name);
}

/** The mode that the session was opened with, where its first events show it. */
function modeOf(cursor: ReplayCursor): Pick<SessionOptions, "permissionMode"> {
  const first = cursor.runStart;
  if (first?.type !== "session_resume") {
    const init = cursor.findOf("session_init");
    return init ? { permissionMode: init.permissionMode } : {};
  }
  const next = cursor.find(
    ({ type }) => type !== "session_resume" && type !== "session_init" && type !== "note",
  );
  const changed = next === undefined ? undefined : cursor.at(next);
  return first.cut && changed?.type === "mode_change" ? { permissionMode: changed.mode } : {};
}

/** True when the turn that was open at the opening went on, or was given up. */
function goesOn(cursor: ReplayCursor): boolean {
  const next = cursor.findOf("turn_resume") ?? cursor.findOf("turn_end");
  return next?.type === "turn_resume" || next?.error?.code === CUT_TOO_OFTEN;
}

function decidedBy(cursor: ReplayCursor, by: "handler" | "default"): boolean {
  return cursor.findOf("permission_decision", ({ decision }) => decision.by === by) !== undefined;
}

/** Answers as the program's handler answered. */
function handlerOf(cursor: ReplayCursor): PermissionHandler | undefined {
  if (!decidedBy(cursor, "handler")) return undefined;
  return async (_tool, _args, { toolCallId }) => {
    const isDecision = (event: SessionEvent): boolean =>
      event.type === "permission_decision" && event.toolCallId === toolCallId;
    const index = cursor.find(isDecision);
    await cursor.due(index);
    const decided = index === undefined ? undefined : cursor.at(index);
    return decided?.type === "permission_decision" && answerOf(decided.decision);
  };
}

/** The budget is spent when the record says so. */
function recordedRefusal(cursor: ReplayCursor): ReturnType<RunMeter["refusal"]> {
  const next = cursor.peek();
  if (next?.type !== "assistant_message" || !next.message.error) return undefined;
  const { content, error } = next.message;
  if (content !== `${REPORT}${error.message}`) return undefined;
  const end = cursor.findOf("turn_end")?.error;
  return errorOf({ ...(end?.message === error.message ? end : error), code: error.code });
}
