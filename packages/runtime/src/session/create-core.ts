import { requireProvider } from "../agent/require-provider.ts";
import { RunMeter, Spending } from "../agent/budget.ts";
import { DEFAULT_ABSTRACT_EVENT_SERVICE, StructuredEventService } from "../events/event-service.ts";
import { PluginChain } from "../plugins/plugin-chain.ts";
import { checkLists, checkToolNames } from "../permissions/rules/check-lists.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import { assemblePlatform } from "../ports/assemble.ts";
import { SILENT_TERMINAL } from "../ports/terminal.ts";
import { requireThreshold } from "./turn/compact-threshold.ts";
import { Attendance } from "./approvals/attendance.ts";
import type { Clock, SessionCore } from "./core.ts";
import { FILES_NOT_COVERED } from "./files/checkpoints.ts";
import type { SessionEventBody } from "./log/events.ts";
import { nativeWebTools, WEB_SEARCH } from "./turn/native-web.ts";
import { toolsByName } from "../tools/tools-by-name.ts";
import { Payloads, payloadsInMemory } from "./files/payloads.ts";
import { trackFiles } from "./files/session-files.ts";
import {
  type PermissionEvaluator,
  Approvals,
  type PermissionHandler,
} from "./approvals/approvals.ts";
import { SessionWriter } from "./log/session-writer.ts";
import { type EventStore, type NumberedListener, SessionLog } from "./log/log.ts";
import type { HookAnswers } from "./hooks/session-hooks.ts";
import { createHooks } from "./hooks/hook-host.ts";
import { askHooks, tellDenied, tellWaiting } from "./hooks/permission-hooks.ts";
import { StartHooks } from "./hooks/start-hooks.ts";
import { workspaceGrants } from "./approvals/workspace-grants.ts";
import { SessionMemory } from "./memory.ts";
import { RequestContext } from "./state/request-context.ts";
import { workingDirectory } from "../ports/working-directory.ts";
import type { SessionOptions } from "./options.ts";
import { requireSessionId } from "./session-id.ts";
import { SessionState } from "./state/state.ts";
import { reportToTerminal } from "./terminal/report-to-terminal.ts";

/** What stands in for the world around a session when its record is gone through again. */
export interface CoreStandIns {
  hooks: HookAnswers;
  judge: PermissionEvaluator;
  recordedAnswer: NonNullable<SessionCore["recordedAnswer"]>;
  /** What the session's log has, and where it goes on. */
  stored: EventStore;
  /** Told of each event as soon as it has its number. */
  onNumbered: NumberedListener;
}

/**
 * @throws {ConfigurationError} without a provider, or for a tool without one of its parts
 * @throws {ValidationError} for an id, a mode or a rule that is none
 */
export function createCore(given: SessionOptions, standIns?: CoreStandIns): SessionCore {
  requireProvider(given);
  const tools = toolsByName(given.tools);
  // Its own: what is found out while it opens is put in.
  const storage = given.storage ?? given.sessionStore?.storage;
  const options = storage ? { ...given, storage } : { ...given };
  const base = assemblePlatform(options);
  const hasStorage = (options.keep ?? true) && (storage ?? options.platform?.storage) !== undefined;
  const clock: Clock = { now: () => base.now(), randomUUID: () => base.randomUUID() };
  const sessionId = options.sessionId ?? base.randomUUID();
  requireSessionId(sessionId);
  checkLists(options.permissions ?? {});
  checkToolNames(options.permissions ?? {}, options.tools?.map(({ name }) => name) ?? []);

  const state = initialState(options);
  const view = new RequestContext(state, options, clock.now);
  const log = new SessionLog({
    sessionId,
    storage: hasStorage ? base.storage : undefined,
    stored: standIns?.stored,
    now: clock.now,
    onNumbered: standIns?.onNumbered,
  });
  log.subscribe((event) => view.apply(event));
  const journal = new SessionWriter({
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
    ? trackFiles(options, base, {
        known: state.checkpoints,
        payloads: new Payloads(
          hasStorage ? base.storage : payloadsInMemory(),
          sessionId,
          state.payloads,
        ),
        commit: (...bodies) => journal.commit(...bodies),
        stream: (body) => log.stream(body),
        root: () => state.cwd,
        onTooLarge: () => log.stream(workspaceTooLarge(state.cwd)),
        onUncovered: (files) => {
          for (const data of state.checkpoints.notYetUncovered(files))
            log.stream({ type: "note", kind: FILES_NOT_COVERED, data });
        },
      })
    : undefined;
  const platform = tracked?.platform ?? base;
  const hooks = createHooks({
    options,
    base,
    sessionId,
    log,
    state,
    gate: () => core.gate,
    answers: standIns?.hooks,
  });
  const spending = new Spending();
  const owner = { ownerType: "session", ownerId: sessionId };
  const service = options.eventService ?? DEFAULT_ABSTRACT_EVENT_SERVICE;
  const attendance = new Attendance(base);
  const core: SessionCore = {
    sessionId,
    options,
    asked: given,
    platform,
    given: base,
    files: tracked?.files,
    clock,
    hasStorage,
    log,
    state,
    view,
    journal,
    gate: new Approvals({
      log,
      state,
      lists: () => options.permissions ?? {},
      handler: options.permissionHandler ?? promptingHandler(options),
      unanswered: options.unanswered ?? "deny",
      attendance,
      randomUUID: clock.randomUUID,
      home: base.home,
      shell: base.shell,
      fs: platform.fs,
      ...(options.roots ? { roots: options.roots } : {}),
      guardUntrustedReads: options.guardUntrustedReads ?? false,
      loadsRulesLater: options.loadsRulesLater ?? false,
      readOnlyCommands: options.readOnlyCommands ?? true,
      asWhole: (tool) => tool === WEB_SEARCH && (core.nativeWeb?.webSearch ?? false),
      ...(hasStorage ? { grants: workspaceGrants(base.storage, state) } : {}),
      ...(standIns ? { judge: standIns.judge } : {}),
      onRequest: (request, signal) => askHooks(hooks, request, signal),
      onDenied: (call, reason) => tellDenied(hooks, call, reason),
    }),
    attendance,
    hooks,
    starting: new StartHooks(hooks, options.provider.model),
    plugins: new PluginChain(options.plugins ?? [], (error) => options.onPluginError?.(error)),
    owner,
    events: new StructuredEventService(service, [owner], clock.now),
    spending,
    tools,
    toolState: new Map(),
    recorder: undefined,
    nativeWeb: nativeWebTools(options),
    memory: new SessionMemory(state.memory),
    autoCompactThreshold: requireThreshold(options.autoCompactThreshold),
    refresh: undefined,
    watchTurn: undefined,
    recordedAnswer: standIns?.recordedAnswer,
    newMeter: () => meterFor(options, spending),
  };
  const isAskedOfPeople =
    options.unanswered === "wait" && !options.permissionHandler && !options.promptForApproval;
  if (isAskedOfPeople)
    log.subscribe((event) => {
      // Hooks of settings are known only once the session is open.
      if (event.type === "permission_request" && hooks.has("Notification"))
        tellWaiting(hooks, event.request);
    });
  if (options.terminal) log.subscribe(reportToTerminal(options.terminal));
  // A budget that can't be counted is found now and not with the first turn.
  core.newMeter();
  return core;
}

function promptingHandler({
  promptForApproval,
  terminal = SILENT_TERMINAL,
}: SessionOptions): PermissionHandler | undefined {
  if (!promptForApproval) return undefined;
  return (tool, args, request) => promptForApproval(terminal, tool, args, request);
}

function meterFor(options: SessionOptions, ownerSpending: Spending): RunMeter {
  return new RunMeter({
    model: options.provider.model,
    models: options.models,
    owner: "session",
    ownerSpending,
    ownerBudget: options.budget,
    runBudget: options.turnBudget,
  });
}

function workspaceTooLarge(cwd: string): SessionEventBody {
  const reason = "The workspace is too large to follow what commands change in it.";
  return { type: "note", kind: FILES_NOT_COVERED, data: { path: cwd, reason } };
}

function initialState(options: SessionOptions): SessionState {
  const state = new SessionState();
  const mode = options.permissionMode ?? "default";
  requirePermissionMode(mode);
  state.mode = mode;
  state.cwd = workingDirectory(options.cwd, options.fs ? undefined : options.platform);
  state.systemMessage = options.systemMessage ?? "";
  state.projectInstructions = options.projectInstructions ?? "";
  return state;
}
