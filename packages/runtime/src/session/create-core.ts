import { checkRules } from "../permissions/evaluate.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import { assemblePlatform } from "../ports/assemble.ts";
import { requireThreshold } from "./compact.ts";
import type { Clock, SessionCore } from "./core.ts";
import type { SessionEventBody } from "./events.ts";
import { Payloads, payloadsInMemory } from "./files/payloads.ts";
import { trackFiles } from "./files/session-files.ts";
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
  const given = storage ? { ...options, storage } : options;
  const base = assemblePlatform(given);
  const hasStorage = (storage ?? options.platform?.storage) !== undefined;
  const clock: Clock = { now: () => base.now(), randomUUID: () => base.randomUUID() };
  const sessionId = options.sessionId ?? base.randomUUID();
  requireSessionId(sessionId);
  checkRules(options.permissions ?? {});

  const state = initialState(options);
  const view = new ModelView(state, options, clock.now);
  const log = new SessionLog({
    sessionId,
    storage: hasStorage ? base.storage : undefined,
    now: clock.now,
  });
  log.subscribe((event) => view.apply(event));
  const tools = new Map((options.tools ?? []).map((tool) => [tool.name, tool]));
  const journal = new Journal({
    sessionId,
    options,
    platform: base,
    hasStorage,
    log,
    state,
    tools,
  });
  const tracksFiles = (options.trackFiles ?? true) && Boolean(options.platform ?? options.fs);
  const tracked = tracksFiles
    ? trackFiles(given, base, {
        known: state.checkpoints,
        payloads: new Payloads(
          hasStorage ? base.storage : payloadsInMemory(),
          sessionId,
          state.payloadPlaces,
        ),
        commit: (...bodies) => journal.commit(...bodies),
        stream: (body) => log.stream(body),
        root: () => state.cwd,
        onTooLarge: () => log.stream(workspaceTooLarge(state.cwd)),
      })
    : undefined;
  const platform = tracked?.platform ?? base;
  return {
    sessionId,
    options,
    platform,
    given: base,
    files: tracked?.files,
    clock,
    hasStorage,
    log,
    state,
    view,
    journal,
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

function workspaceTooLarge(cwd: string): SessionEventBody {
  const reason = "The workspace is too large to follow what commands change in it.";
  return { type: "note", kind: "files-not-covered", data: { path: cwd, reason } };
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
