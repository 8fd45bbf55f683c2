import { assemblePlatform } from "../ports/assemble.ts";
import type { Platform } from "../ports/platform.ts";
import { checkRules } from "../permissions/evaluate.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import type { Tool } from "../tools/tool.ts";
import type { SessionEventBody } from "./events.ts";
import { PermissionGate } from "./gate.ts";
import { Journal } from "./journal.ts";
import { SessionLog } from "./log.ts";
import { SessionMemory } from "./memory.ts";
import { ModelView } from "./model-view.ts";
import type { SessionOptions } from "./options.ts";
import { closeCutTurn } from "./recover.ts";
import { requireSessionId } from "./session-id.ts";
import { SessionState } from "./state.ts";

/** The platform's clock and ids, free to be passed on. */
export interface Clock {
  now: () => number;
  randomUUID: () => string;
}

/** The parts of one session. They are made once and know each other only through here. */
export interface SessionCore {
  readonly sessionId: string;
  readonly options: SessionOptions;
  readonly platform: Platform;
  readonly clock: Clock;
  /** Whether anything is kept. */
  readonly hasStorage: boolean;
  readonly log: SessionLog;
  /** The fold of the log. */
  readonly state: SessionState;
  /** What follows from the state for the model. */
  readonly view: ModelView;
  readonly journal: Journal;
  readonly gate: PermissionGate;
  readonly tools: ReadonlyMap<string, Tool>;
  /** What tools keep as long as this page or process has the session open. */
  readonly toolState: Map<string, unknown>;
  readonly memory: SessionMemory;
}

/** @throws {ValidationError} for an id, a mode or a rule that is none */
export function createCore(options: SessionOptions): SessionCore {
  const storage = options.storage ?? options.sessionStore?.storage;
  const platform = assemblePlatform(storage ? { ...options, storage } : options);
  const hasStorage = (storage ?? options.platform?.storage) !== undefined;
  const clock: Clock = { now: () => platform.now(), randomUUID: () => platform.randomUUID() };
  const sessionId = options.sessionId ?? platform.randomUUID();
  requireSessionId(sessionId);
  checkRules(options.permissions ?? {});

  const state = initialState(options);
  const view = new ModelView(state, options, clock.now);
  const log = new SessionLog({
    sessionId,
    storage: hasStorage ? platform.storage : undefined,
    now: clock.now,
  });
  log.subscribe((event) => view.apply(event));
  const tools = new Map((options.tools ?? []).map((tool) => [tool.name, tool]));
  return {
    sessionId,
    options,
    platform,
    clock,
    hasStorage,
    log,
    state,
    view,
    journal: new Journal({ sessionId, options, platform, hasStorage, log, state, tools }),
    gate: new PermissionGate({
      log,
      state,
      lists: options.permissions ?? {},
      handler: options.permissionHandler ?? options.promptForApproval,
      unanswered: options.unanswered ?? "deny",
      randomUUID: clock.randomUUID,
    }),
    tools,
    toolState: new Map(),
    memory: new SessionMemory(state.memory),
  };
}

function initialState(options: SessionOptions): SessionState {
  const state = new SessionState();
  const mode = options.permissionMode ?? "default";
  requirePermissionMode(mode);
  state.mode = mode;
  state.cwd = options.cwd ?? "/";
  state.systemMessage = options.systemMessage ?? "";
  return state;
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
