import type { RunMeter, Spending } from "../agent/budget.ts";
import type { StructuredEventService } from "../events/event-service.ts";
import type { PluginChain } from "../plugins/plugin-chain.ts";
import type { Platform } from "../ports/platform.ts";
import type { ModelAnswer, OwnerPathSegment, Tool } from "../tools/tool.ts";
import type { NativeWebTools } from "../providers/provider.ts";
import type { TurnWatch } from "./configuration.ts";
import type { Attendance } from "./approvals/attendance.ts";
import type { SessionEventBody } from "./log/events.ts";
import type { SessionFiles } from "./files/session-files.ts";
import type { Approvals } from "./approvals/approvals.ts";
import type { SessionTracer } from "./trace/tracer.ts";
import type { SessionWriter } from "./log/session-writer.ts";
import type { SessionLog } from "./log/log.ts";
import type { SessionMemory } from "./memory.ts";
import type { RequestContext } from "./state/request-context.ts";
import type { SessionOptions } from "./options.ts";
import { closeCutTurn } from "./log/crash-recovery.ts";
import type { SessionHooks } from "./hooks/session-hooks.ts";
import type { StartHooks } from "./hooks/start-hooks.ts";
import type { SessionState } from "./state/state.ts";

/** The platform's clock and ids, free to be passed on. */
export interface Clock {
  now: () => number;
  randomUUID: () => string;
}

/** The parts of one session. They are made once and know each other only through here. */
export interface SessionCore {
  readonly sessionId: string;
  /** The session's own copy: what is found out while it opens is put in. */
  readonly options: SessionOptions;
  /** As the session was asked for. */
  readonly asked: SessionOptions;
  /** As the session's tools see it: what they change is taken down. */
  readonly platform: Platform;
  /** As the session was given it. */
  readonly given: Platform;
  readonly clock: Clock;
  /** Whether anything is kept. */
  readonly hasStorage: boolean;
  readonly log: SessionLog;
  /** The fold of the log. */
  readonly state: SessionState;
  /** What follows from the state for the model. */
  readonly view: RequestContext;
  readonly journal: SessionWriter;
  readonly gate: Approvals;
  readonly attendance: Attendance;
  readonly tools: Map<string, Tool>;
  /** What tools keep as long as this page or process has the session open. */
  readonly toolState: Map<string, unknown>;
  readonly memory: SessionMemory;
  readonly hooks: SessionHooks;
  readonly starting: StartHooks;
  readonly plugins: PluginChain;
  /** Whose parts the events of its turns are. */
  readonly owner: OwnerPathSegment;
  /** What the session emits besides its log. */
  readonly events: StructuredEventService;
  /** Of all turns, those of other lives too. */
  readonly spending: Spending;
  /** Absent when the session has no files, or does not follow them. */
  readonly files: SessionFiles | undefined;
  /** Tells the session's logger, from when the session is opened; absent without one. */
  recorder: SessionTracer | undefined;
  /** The provider's own web tools, where it has some. */
  readonly nativeWeb: NativeWebTools | undefined;
  /** Share of the window above which the session makes room by itself; `false` for never. */
  autoCompactThreshold: number | false;
  /** Before each turn: takes over what has changed of the configuration. Absent where nothing can. */
  refresh: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Looks at the configuration's sources before a turn and after it. Absent where nobody has to. */
  watchTurn: TurnWatch | undefined;
  /** In a replay: what the model answered a call's next question. */
  readonly recordedAnswer: ((callId: string) => ModelAnswer | undefined) | undefined;
  /** Counts one turn. */
  newMeter(): RunMeter;
}

/** The events that close a turn which nobody runs any more. */
export function closingEvents({ state, clock, options }: SessionCore): SessionEventBody[] {
  const { name, model } = options.provider;
  return closeCutTurn(state, { ...clock, provider: name, model });
}

/** Tells how full the window is. */
export function reportContext({ view, options, log }: SessionCore): void {
  const { state, isExact: exact } = view.tracker;
  options.onContextUpdate?.(state);
  const { usedTokens, maxTokens, usedPercentage } = state;
  log.stream({ type: "context_update", usedTokens, maxTokens, usedPercentage, exact });
}
