import { requireProvider } from "../agent/require-provider.ts";
import { RunMeter, Spending } from "../agent/budget.ts";
import { DEFAULT_ABSTRACT_EVENT_SERVICE, StructuredEventService } from "../events/event-service.ts";
import { requireOptions } from "../option-forms.ts";
import { checkLists, checkToolNames } from "../permissions/rules/check-lists.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import { assemblePlatform } from "../ports/assemble.ts";
import type { Platform } from "../ports/platform.ts";
import { workingDirectory } from "../ports/working-directory.ts";
import type { ModelAnswer, Tool } from "../tools/tool.ts";
import { toolsByName } from "../tools/tools-by-name.ts";
import { Attendance } from "./approvals/attendance.ts";
import type { PermissionEvaluator } from "./approvals/approvals.ts";
import type { Clock } from "./clock.ts";
import type { SessionCore } from "./core.ts";
import { createApprovals } from "./create-approvals.ts";
import { FILES_NOT_COVERED } from "./files/checkpoints.ts";
import { Payloads, payloadsInMemory } from "./files/payloads.ts";
import { trackFiles } from "./files/session-files.ts";
import { createHooks } from "./hooks/create-hooks.ts";
import { notifyWaiting } from "./hooks/permission-hooks.ts";
import type { HookAnswers } from "./hooks/session-hooks.ts";
import { StartHooks } from "./hooks/start-hooks.ts";
import type { SessionEventBody } from "./log/events.ts";
import { type EventStore, type NumberedListener, type RefusalOf, SessionLog } from "./log/log.ts";
import { SessionWriter } from "./log/session-writer.ts";
import { SESSION_OPTIONS } from "./known-options.ts";
import { SessionMemory } from "./state/memory.ts";
import type { SessionOptions } from "./options.ts";
import { withLanguage } from "./state/language.ts";
import { RequestContext } from "./state/request-context.ts";
import { SessionState } from "./state/state.ts";
import { nativeWebTools } from "./turn/native-web.ts";
import { requireThreshold } from "./option-checks.ts";
import { requireSessionId } from "./session-id.ts";

/** Stand-ins for the world around a session when its record is replayed. */
export interface CoreStandIns {
  hooks: HookAnswers;
  evaluator: PermissionEvaluator;
  recordedAnswer: (callId: string) => ModelAnswer | undefined;
  recordedReports: () => SessionEventBody[];
  recordedAgain: (callId: string) => boolean;
  /** The events of the session's log, and where to continue. */
  stored: EventStore;
  /** Called with each event as soon as it has its number. */
  onNumbered: NumberedListener;
  /** The error of a commit that the session's storage refused. */
  refusalOf: RefusalOf;
}

/** A session's validated options, and the parts that depend on them alone. */
interface BaseParts {
  readonly sessionId: string;
  /** The session's own copy: configuration found at opening is merged in. */
  readonly options: SessionOptions;
  readonly initialOptions: SessionOptions;
  /** The platform as the session was given it. */
  readonly hostPlatform: Platform;
  readonly hasStorage: boolean;
  readonly clock: Clock;
  readonly tools: Map<string, Tool>;
}

/** A session's log, the parts derived from it, and its writer. */
interface LogParts {
  readonly log: SessionLog;
  /** The fold of the log. */
  readonly state: SessionState;
  /** The model's view of the state. */
  readonly requestContext: RequestContext;
  readonly writer: SessionWriter;
}

/**
 * @throws {ConfigurationError} without a provider, or for a tool without one of its parts
 * @throws {ValidationError} for a wrong id, mode or rule
 */
export function createCore(given: SessionOptions, standIns?: CoreStandIns): SessionCore {
  const base = baseParts(given);
  const logging = logParts(base, standIns);
  const { sessionId, options, hostPlatform, clock } = base;
  const tracked = trackedFiles(base, logging);
  const platform = tracked?.platform ?? hostPlatform;
  const hooks = createHooks({
    ...base,
    ...logging,
    approvals: () => core.approvals,
    answers: standIns?.hooks,
    onUsage: ({ usage, cost }) => meter.addAside(usage, cost),
  });
  const spending = new Spending();
  // Finds an uncountable budget now and not with the first turn.
  let meter = meterFor(options, spending);
  const owner = { ownerType: "session", ownerId: sessionId };
  const service = options.eventService ?? DEFAULT_ABSTRACT_EVENT_SERVICE;
  const attendance = new Attendance(hostPlatform);
  const core: SessionCore = {
    ...base,
    ...logging,
    platform,
    files: tracked?.files,
    approvals: createApprovals(
      { ...base, ...logging, platform, hooks, attendance, nativeWeb: () => core.nativeWeb },
      standIns?.evaluator,
    ),
    attendance,
    hooks,
    startHooks: new StartHooks(hooks, () => options.provider.model),
    owner,
    events: new StructuredEventService(service, [owner], clock.now),
    spending,
    toolState: new Map(),
    tracer: undefined,
    nativeWeb: nativeWebTools(options),
    switched: undefined,
    memory: new SessionMemory(logging.state.memory),
    autoCompactThreshold: requireThreshold(options.autoCompactThreshold),
    refresh: undefined,
    watchTurn: undefined,
    resumed: undefined,
    pause: undefined,
    recordedAnswer: standIns?.recordedAnswer,
    recordedAgain: standIns?.recordedAgain,
    recordedReports: standIns?.recordedReports,
    // No getter: it would make V8 keep this object as a hash table.
    meter: () => meter,
    newMeter: () => (meter = meterFor(options, spending)),
  };
  followLog(core);
  return core;
}

function baseParts(given: SessionOptions): BaseParts {
  requireProvider(given);
  requireOptions(given, SESSION_OPTIONS);
  const tools = toolsByName(given.tools);
  const storage = given.storage ?? given.sessionStore?.storage;
  const options = storage ? { ...given, storage } : { ...given };
  const hostPlatform = assemblePlatform(options);
  const hasStorage = (options.keep ?? true) && (storage ?? options.platform?.storage) !== undefined;
  const clock = { now: () => hostPlatform.now(), randomUUID: () => hostPlatform.randomUUID() };
  const sessionId = options.sessionId ?? hostPlatform.randomUUID();
  requireSessionId(sessionId);
  checkLists(options.permissions ?? {});
  checkToolNames(options.permissions ?? {}, options.tools?.map(({ name }) => name) ?? []);
  return { sessionId, options, initialOptions: given, hostPlatform, hasStorage, clock, tools };
}

function logParts(base: BaseParts, standIns: CoreStandIns | undefined): LogParts {
  const { sessionId, options, hostPlatform, hasStorage, clock } = base;
  const state = initialState(options);
  const requestContext = new RequestContext(state, options, clock.now);
  const log = new SessionLog({
    sessionId,
    storage: hasStorage ? hostPlatform.storage : undefined,
    stored: standIns?.stored,
    now: clock.now,
    onNumbered: standIns?.onNumbered,
    refusalOf: standIns?.refusalOf,
  });
  log.subscribe((event) => requestContext.apply(event));
  const writer = new SessionWriter({ ...base, platform: hostPlatform, log, state });
  return { log, state, requestContext, writer };
}

/** Absent when the session has no files, or does not follow them. */
function trackedFiles(
  { sessionId, options, hostPlatform, hasStorage }: BaseParts,
  { log, state, writer }: LogParts,
): ReturnType<typeof trackFiles> | undefined {
  const isTracking = (options.trackFiles ?? true) && Boolean(options.platform ?? options.fs);
  if (!isTracking) return undefined;
  return trackFiles(options, hostPlatform, {
    known: state.checkpoints,
    payloads: new Payloads(
      hasStorage ? hostPlatform.storage : payloadsInMemory(),
      sessionId,
      state.payloads,
    ),
    commit: (...bodies) => writer.commit(...bodies),
    stream: (body) => log.stream(body),
    root: () => state.cwd,
    onTooLarge: () => log.stream(workspaceTooLarge(state.cwd)),
    onUncovered: (files) => {
      for (const data of state.checkpoints.notYetUncovered(files))
        log.stream({ type: "note", kind: FILES_NOT_COVERED, data });
    },
  });
}

/** Connects hooks to the log's events. */
function followLog({ options, log, hooks }: SessionCore): void {
  const isAskedOfPeople =
    options.unanswered === "wait" && !options.permissionHandler && !options.promptForApproval;
  if (isAskedOfPeople)
    log.subscribe((event) => {
      // Hooks of settings are known only once the session is open.
      if (event.type === "permission_request" && hooks.has("Notification"))
        notifyWaiting(hooks, event.request);
    });
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
  const reason = "The workspace is too large to track the changes of commands.";
  return { type: "note", kind: FILES_NOT_COVERED, data: { path: cwd, reason } };
}

function initialState(options: SessionOptions): SessionState {
  const state = new SessionState();
  const mode = options.permissionMode ?? "default";
  requirePermissionMode(mode);
  state.mode = mode;
  state.cwd = workingDirectory(options.cwd, options.fs ? undefined : options.platform);
  const { systemMessage = "", language } = options;
  state.systemMessage =
    language === undefined ? systemMessage : withLanguage(systemMessage, language);
  state.projectInstructions = options.projectInstructions ?? "";
  state.promptReport = options.promptReport;
  state.language = language;
  return state;
}
