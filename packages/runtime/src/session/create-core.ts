import { checkRules } from "../permissions/evaluate.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import { assemblePlatform } from "../ports/assemble.ts";
import { requireThreshold } from "./compact.ts";
import type { Clock, SessionCore } from "./core.ts";
import { PermissionGate } from "./gate.ts";
import { Journal } from "./journal.ts";
import { SessionLog } from "./log.ts";
import { SessionMemory } from "./memory.ts";
import { ModelView } from "./model-view.ts";
import type { SessionOptions } from "./options.ts";
import { requireSessionId } from "./session-id.ts";
import { SessionState } from "./state.ts";

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
    autoCompactThreshold: requireThreshold(options.autoCompactThreshold),
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

