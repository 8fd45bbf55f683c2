import type { TurnMeters } from "../turn-meters.ts";
import { AgentRun, type RunAttempt, type RunResult } from "../../agent/agent-run.ts";
import { requirePrompt } from "../../agent/require-input.ts";
import { abortError, errorFacts, isAbortError, RobotaError } from "../../errors.ts";
import type { StructuredEventService } from "../../events/event-service.ts";
import type { Content } from "../../messages/message.ts";
import { asError } from "../../messages/reported-error.ts";
import type { OwnerPathSegment } from "../../tools/tool.ts";
import type { TurnWatch } from "../configuration.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { SessionLog } from "../log/log.ts";
import { isFenced, isFull } from "../log/storage-failures.ts";
import type { TurnInput, TurnOutcome } from "../options.ts";
import type { ClosingParts } from "./closing-events.ts";
import { compactIfNeeded } from "./compact-if-needed.ts";
import type { ResumedTurn } from "./pick-up-turn.ts";
import { pluginsOf } from "./plugins-of.ts";
import type { RunningTurn, Steering } from "./running-turn.ts";
import { beginTurn, type TurnBeginParts } from "./turn-begin.ts";
import { ANSWER_CHANGED, turnEndOf } from "./turn-events.ts";
import { runTurnLoop, type TurnLoopParts } from "./turn-loop.ts";
import { keepHeader } from "../store/header-writer.ts";

export type TurnParts = TurnBeginParts &
  TurnLoopParts &
  ClosingParts & {
    /** The session as the owner of its turns' events. */
    readonly owner: OwnerPathSegment;
    /** The events that the session emits besides its log. */
    readonly events: StructuredEventService;
    /** Applies configuration changes before each turn. Absent when there is nothing to reload. */
    readonly refresh: ((signal: AbortSignal) => Promise<void>) | undefined;
    /** Checks the configuration's sources before and after a turn. Absent when nothing listens. */
    readonly watchTurn: TurnWatch | undefined;
    readonly meters: TurnMeters;
    /** The open turn of an earlier page or process, when it goes on. */
    resumed: ResumedTurn | undefined;
  };

/** Control of a running turn from outside. */
export interface TurnControl {
  running: AbortController;
  steering: Steering;
}

/** A turn as it begins, or goes on. */
interface TurnStart {
  input: Content;
  /** Hooks of this turn alone. */
  stopHooks: TurnInput["stopHooks"];
  begin: (input: Content) => Promise<void>;
}

/** Runs a turn from its prompt to its recorded end. */
export async function runNewTurn(
  parts: TurnParts,
  control: TurnControl,
  turn: TurnInput,
): Promise<TurnOutcome> {
  const { state, log, clock } = parts;
  const { signal } = control.running;
  const input = contentOf(turn);
  requirePrompt(input);
  parts.meters.begin();
  parts.resumed = undefined;
  // Closes a turn whose end could not be stored before the next one begins.
  const stranded = await closing(parts);
  if (stranded.length > 0) {
    log.turnId = state.turn?.turnId;
    await log.commit(...stranded);
    log.turnId = undefined;
  }
  if (parts.refresh) await parts.refresh(signal);
  if (state.messages.length > 0) await compactIfNeeded(parts, signal);
  log.turnId = clock.randomUUID();
  return runWatched(parts, control, {
    input,
    stopHooks: turn.stopHooks,
    begin: (content) => beginTurn(parts, turn, content, signal),
  });
}

function contentOf({ input, attachments = [] }: TurnInput): Content {
  return attachments.length === 0 ? input : [{ type: "text", text: input }, ...attachments];
}

/** Runs the open turn from where it was cut to its recorded end. */
export async function resumeTurn(
  parts: TurnParts,
  control: TurnControl,
  { stopHooks }: Pick<TurnInput, "stopHooks">,
): Promise<TurnOutcome> {
  const { state, log } = parts;
  log.turnId = state.turn?.turnId;
  const meter = parts.meters.begin();
  parts.resumed?.countIn(meter);
  const asked = state.messages.findLast(({ role }) => role === "user");
  const input = asked?.content ?? "";
  return runWatched(parts, control, { input, stopHooks, begin: async () => undefined });
}

async function runWatched(
  parts: TurnParts,
  control: TurnControl,
  turn: TurnStart,
): Promise<TurnOutcome> {
  const ended = parts.watchTurn && (await parts.watchTurn());
  try {
    if (turn.stopHooks) await parts.hooks.useInTurn(turn.stopHooks);
    await parts.approvals.rules.followLinks();
    return await runTurn(parts, control, turn);
  } finally {
    if (turn.stopHooks) await parts.hooks.useInTurn(undefined);
    if (ended) await ended();
  }
}

async function runTurn(
  parts: TurnParts,
  { running, steering }: TurnControl,
  { input, begin }: TurnStart,
): Promise<TurnOutcome> {
  const turn = makeTurn(parts, { running, steering }, input);
  let result: RunResult | undefined;
  let error: unknown;
  let unstored = (): unknown => undefined;
  const attempt = (): Promise<RunAttempt> => {
    unstored = abortWhenUnstored(parts.log, running);
    return runTurnLoop(parts, turn);
  };
  try {
    result = await turn.agentRun.run({ begin, attempt });
    error = result.error;
  } catch (failure) {
    // An interruption by an abort is not a failure.
    if (!running.signal.aborted || !isAbortError(failure)) error = failure;
  } finally {
    parts.log.onUnstored = undefined;
  }
  if (result?.interrupted ?? true) error ??= unstored();
  // Calls of an answer still being recorded have to be closed too; the final answer is recorded with the turn's end.
  if (!result || !turn.calling?.isFinal) await turn.calling?.recorded.catch(() => undefined);
  // Steering is too late from here on.
  steering.isOpen = false;
  return parts.state.turn
    ? recordEnd(parts, result, error, { running, steering })
    : refused(parts, result, error, { running, steering });
}

/**
 * Aborts a turn whose words can no longer be stored: the model would go on for nothing. Returns a look-up of the failure,
 * `undefined` until there is one.
 */
function abortWhenUnstored(log: SessionLog, running: AbortController): () => unknown {
  let failures = 0;
  let cause: unknown;
  log.onUnstored = (failure) => {
    failures += 1;
    // Anything but a full disk may be over by the next write.
    if (failures === 1 && !isFull(failure)) return;
    cause = failure;
    running.abort(abortError());
  };
  return () => cause;
}

function makeTurn(
  parts: TurnParts,
  { running, steering }: TurnControl,
  input: Content,
): RunningTurn {
  const { events, owner, options, clock, log, resumed } = parts;
  parts.resumed = undefined;
  const agentRun = new AgentRun({
    plugins: pluginsOf(options),
    meter: parts.meters.current,
    events,
    owner,
    runId: log.turnId ?? "",
    input,
    provider: options.provider,
    signal: running.signal,
    now: clock.now,
    // The note explains in the record why the answer differs from the model's.
    onAnswerChanged: () => log.stream({ type: "note", kind: ANSWER_CHANGED, data: {} }),
  });
  return {
    running,
    agentRun,
    steering: steering.texts,
    args: new Map(),
    contexts: new Map(),
    answers: new Map(),
    continuations: 0,
    resumed,
  };
}

async function recordEnd(
  parts: TurnParts,
  result: RunResult | undefined,
  error: unknown,
  { running, steering }: TurnControl,
): Promise<TurnOutcome> {
  const { state, log, writer, hooks } = parts;
  const { turn } = state;
  let failure = error;
  let end = turnEndOf(result, failure, running.signal.aborted);
  // After a failure to record a step, calls may lack results, which the next request would need.
  const left = result ? [] : await unclosed(parts);
  try {
    await log.commit(...left, end);
  } catch (unstored) {
    if (log.lost || log.sealed || isFenced(unstored)) throw unstored;
    failure ??= unstored;
    end = turnEndOf(result, failure, false);
    // A turn ends also where that can't be stored: its end is shown now, and stored with whatever is stored next. Of an
    // answer that was to be stored with it, the words that were shown stay.
    for (const body of [...(await unclosed(parts)), end]) log.stream(body);
  }
  writer.saveHeader(keepHeader);
  if (end.state === "failed") {
    const { code = "UNKNOWN_ERROR", message = "" } = end.error ?? {};
    await hooks
      .run("StopFailure", { reason: code, error: message, last_assistant_message: end.response })
      .catch(() => undefined);
  }
  const outcome = {
    turnId: turn?.turnId ?? "",
    state: end.state,
    response: end.response,
    toolSummaries: turn?.toolSummaries ?? [],
    usage: end.usage,
    cost: end.cost,
    unread: steering.texts,
  };
  return failure === undefined ? outcome : { ...outcome, error: asError(failure) };
}

/** The events that close a turn no longer running. */
async function closing(parts: TurnParts): Promise<SessionEventBody[]> {
  if (!parts.state.turn) return [];
  const { closingEvents } = await import("./closing-events.ts");
  return closingEvents(parts);
}

/** The events that a turn's end needs before it. */
async function unclosed(parts: TurnParts): Promise<SessionEventBody[]> {
  return (await closing(parts)).filter(({ type }) => type !== "turn_end");
}

/** Ends a turn that never began: refused by a plugin or a hook, aborted before, or impossible to record. */
async function refused(
  { log, writer }: TurnParts,
  result: RunResult | undefined,
  error: unknown,
  { running, steering: { texts: unread } }: TurnControl,
): Promise<TurnOutcome> {
  const outcome = { turnId: log.turnId ?? "", response: "", toolSummaries: [], unread };
  if (running.signal.aborted) return { ...outcome, state: "interrupted" };
  if (!result && !isBlocked(error)) throw error;
  await writer.commit({ type: "note", kind: "turn-refused", data: { ...errorFacts(error) } });
  return { ...outcome, state: "failed", error: asError(error) };
}

function isBlocked(error: unknown): boolean {
  return error instanceof RobotaError && error.code === "HOOK_BLOCKED";
}
