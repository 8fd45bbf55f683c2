import type { RunMeter } from "../../agent/budget.ts";
import { errorFacts, RobotaError } from "../../errors.ts";
import type { ToolArgs, ToolCall } from "../../messages/message.ts";
import { unansweredCalls } from "../../messages/project.ts";
import { hasErrorCode } from "../../messages/tool-error-code.ts";
import type { Platform } from "../../ports/platform.ts";
import { toolFacts } from "../../tools/tool-facts.ts";
import type { Tool } from "../../tools/tool.ts";
import type { SessionEvent, SessionEventBody, SessionEventOf } from "../log/events.ts";
import { isArrival, isNote } from "../log/notes.ts";
import type { SessionOptions } from "../options.ts";
import { answersIn } from "../state/snapshot-keeper.ts";
import { type ClosingParts, closingEvents } from "./closing-events.ts";
import { withheldCalls } from "./withheld-calls.ts";

/** Times that a turn goes on without finishing a step in between. */
const MAX_ATTEMPTS = 5;
/** Events whose usage the end of a turn reports; that of hooks, compactions and background agents only counts for budgets. */
const OF_TURN: ReadonlySet<string> = new Set(["assistant_message", "tool_end"]);
/** Error code of a turn that was given up after so many. */
export const CUT_TOO_OFTEN = "TURN_CUT_TOO_OFTEN";

export type PickUpParts = ClosingParts & {
  readonly options: Pick<SessionOptions, "onInterruptedTurn" | "roots">;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly hostPlatform: Pick<Platform, "home">;
  /** In a replay, tells which calls were run again. */
  readonly recordedAgain: ((callId: string) => boolean) | undefined;
  resumed: ResumedTurn | undefined;
};

/** The part of a turn before it was cut. */
export interface ResumedTurn {
  /** Requests to the model that were answered. */
  readonly rounds: number;
  /** Adds its usage to the meter of the part that follows. */
  countIn(meter: RunMeter): void;
}

/**
 * The events that follow a cut, from all events of its turn: they close the turn, or prepare it to go on. A turn that
 * waits for an approval stays as it is.
 */
export async function afterCut(
  parts: PickUpParts,
  events: readonly SessionEvent[],
): Promise<SessionEventBody[]> {
  const turn = events.slice(events.findLastIndex(({ type }) => type === "turn_start"));
  const withheld = withheldCalls(parts.state, turn);
  const closing = closingEvents(parts).map((event) => withheld.explain(event));
  if (parts.state.isWaiting && !withheld.areAllAwaited) {
    parts.resumed = resumedTurn(
      turn,
      turn.some(({ type }) => type === "turn_resume"),
    );
    return [...withheld.denials, ...endsOf(closing, (id) => withheld.has(id))];
  }
  closing.unshift(...withheld.denials);
  if (parts.options.onInterruptedTurn !== "continue" || mayNotGoOn(turn)) return closing;
  const attempt = attemptsOf(turn) + 1;
  if (attempt > MAX_ATTEMPTS) return closing.map(asFailure);
  const again: string[] = [];
  const unknown: string[] = [];
  for (const call of unansweredCalls(parts.state.messages)) {
    if (!parts.state.activeTools.has(call.id)) continue;
    const isAgain = !withheld.has(call.id) && (await runsAgain(parts, call, turn));
    (isAgain ? again : unknown).push(call.id);
  }
  parts.resumed = resumedTurn(turn, true);
  const lost = endsOf(closing, (id) => unknown.includes(id) || withheld.has(id));
  return [...withheld.denials, ...lost, { type: "turn_resume", attempt, again, unknown }];
}

/** The ends of some calls. */
function endsOf(
  events: readonly SessionEventBody[],
  isWanted: (callId: string) => boolean,
): SessionEventBody[] {
  return events.filter((event) => event.type === "tool_end" && isWanted(event.toolCallId));
}

/** True for a turn that was being ended, and for one that came here with a copy of a session: it may go on where it comes from. */
function mayNotGoOn(turn: readonly SessionEvent[]): boolean {
  const imported = turn.at(-1);
  if (isNote(imported, "imported")) return !isArrival(imported);
  return turn.some(
    (event) =>
      isNote(event, "hook-stopped") ||
      (event.type === "tool_end" && hasErrorCode(event.outcome, "aborted")) ||
      (event.type === "assistant_message" &&
        event.message.state === "interrupted" &&
        !event.message.error),
  );
}

/** How often the turn went on since its last finished step. */
function attemptsOf(turn: readonly SessionEvent[]): number {
  const finished = turn.findLastIndex(
    (event) =>
      event.type === "compaction" ||
      (event.type === "tool_end" && !hasErrorCode(event.outcome, "unknown_outcome")) ||
      (event.type === "permission_decision" && event.decision.by === "person"),
  );
  return turn.slice(finished + 1).filter(({ type }) => type === "turn_resume").length;
}

function asFailure(event: SessionEventBody): SessionEventBody {
  if (event.type !== "turn_end") return event;
  const error = new RobotaError(
    `The turn was cut ${MAX_ATTEMPTS + 1} times without finishing a step`,
    {
      code: CUT_TOO_OFTEN,
      category: "system",
      recoverable: true,
      hint: "Find out what ends the process; another message goes on from here.",
    },
  );
  return { ...event, state: "failed", error: errorFacts(error) };
}

async function runsAgain(
  { tools, state, options, hostPlatform: { home }, recordedAgain }: PickUpParts,
  call: ToolCall,
  turn: readonly SessionEvent[],
): Promise<boolean> {
  if (recordedAgain) return recordedAgain(call.id);
  const tool = tools.get(call.name);
  if (!tool) return false;
  const args = startedWith(call, turn);
  const { idempotent, startsAgents, patternKind } = tool;
  if (idempotent !== undefined)
    return typeof idempotent === "function" ? idempotent(args) : idempotent;
  if (startsAgents) return false;
  const access =
    tool.accessOf?.(args, (name) => state.turn?.skills.includes(name) ?? false) ?? tool.access;
  if (access === "read" || access === "none") return true;
  if (patternKind !== "command") return false;
  const [{ explain }, { isReadOnly }] = await Promise.all([
    import("../../permissions/engine.ts"),
    import("../../permissions/read-only/read-only-commands.ts"),
  ]);
  const { cwd } = state;
  const where = { ...toolFacts(tool), cwd, roots: options.roots ?? [cwd], isReadOnly, home };
  return explain(tool.name, args, "default", {}, where).decision === "auto";
}

/** The arguments as approved, which may differ from the model's. */
function startedWith({ id, args }: ToolCall, turn: readonly SessionEvent[]): ToolArgs {
  const start = turn.findLast(
    (event): event is SessionEventOf<"tool_start"> =>
      event.type === "tool_start" && event.toolCallId === id,
  );
  return start?.args ?? args;
}

/** `isOfTurn`: the end of the turn reports the usage before the cut too. */
function resumedTurn(turn: readonly SessionEvent[], isOfTurn: boolean): ResumedTurn {
  return {
    rounds: turn.filter(({ type }) => type === "assistant_message").length,
    countIn(meter) {
      for (const event of turn) {
        for (const { usage, model } of answersIn(event) ?? []) {
          if (!usage) continue;
          const cost = meter.costOf(usage, model);
          meter.all.add(usage, cost);
          if (isOfTurn && OF_TURN.has(event.type)) meter.spending.add(usage, cost);
        }
      }
    },
  };
}
