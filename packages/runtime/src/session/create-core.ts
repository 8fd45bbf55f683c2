import { requireProvider } from "../agent/require-provider.ts";
import { type RunMeter, Spending } from "../agent/budget.ts";
import { DEFAULT_ABSTRACT_EVENT_SERVICE, StructuredEventService } from "../events/event-service.ts";
import { requireOptions } from "../option-forms.ts";
import { checkLists, checkToolNames } from "../permissions/rules/check-lists.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import { assemblePlatform, type Clock, clockOf } from "../ports/assemble.ts";
import type { Platform } from "../ports/platform.ts";
import { workingDirectory } from "../ports/working-directory.ts";
import type { ModelAnswer, OwnerPathSegment, Tool } from "../tools/tool.ts";
import { toolsByName } from "../tools/tools-by-name.ts";
import { Attendance } from "./approvals/attendance.ts";
import type { Approvals, PermissionEvaluator } from "./approvals/approvals.ts";
import type { SessionCore } from "./core.ts";
import { createApprovals } from "./create-approvals.ts";
import { FileHistory } from "./files/file-history.ts";
import { Payloads, payloadsInMemory } from "./files/payloads.ts";
import { SessionFiles } from "./files/session-files.ts";
import { notifyWaiting } from "./hooks/permission-hooks.ts";
import { type HookAnswers, SessionHooks } from "./hooks/session-hooks.ts";
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
import { TurnMeters } from "./turn-meters.ts";
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
  /** The reason why the record's next request was not sent. */
  refusal: RunMeter["refusal"];
}

/** A session's validated options, and the parts that depend on them alone. */
interface BaseParts {
  readonly sessionId: string;
  readonly options: SessionOptions;
  readonly hostPlatform: Platform;
  readonly hasStorage: boolean;
  readonly tools: Map<string, Tool>;
}

/**
 * @throws {ConfigurationError} without a provider, or for a tool without one of its parts
 * @throws {ValidationError} for a wrong id, mode or rule
 */
export function createCore(given: SessionOptions, standIns?: CoreStandIns): SessionCore {
  const core = new Core(given, standIns);
  followLog(core);
  return core;
}

/**
 * A session's parts. Each gets them all, as the ones that it declares, and takes another part only when it works: then
 * all are there.
 */
class Core implements SessionCore {
  readonly sessionId: string;
  /** The session's own copy: configuration found at opening is merged in. */
  readonly options: SessionOptions;
  readonly initialOptions: SessionOptions;
  /** The platform as the session was given it. */
  readonly hostPlatform: Platform;
  readonly platform: Platform;
  readonly hasStorage: boolean;
  readonly clock: Clock;
  readonly tools: Map<string, Tool>;
  /** The fold of the log. */
  readonly state: SessionState;
  /** The model's view of the state. */
  readonly requestContext: RequestContext;
  readonly log: SessionLog;
  readonly writer: SessionWriter;
  readonly files: SessionFiles | undefined;
  readonly attendance: Attendance;
  readonly hooks: SessionHooks;
  readonly startHooks: StartHooks;
  readonly approvals: Approvals;
  readonly spending = new Spending();
  readonly meters: TurnMeters;
  readonly owner: OwnerPathSegment;
  readonly events: StructuredEventService;
  #toolState: Map<string, unknown> | undefined;
  readonly memory: SessionMemory;
  nativeWeb: SessionCore["nativeWeb"];
  autoCompactThreshold: number | false;
  readonly recordedAnswer: SessionCore["recordedAnswer"];
  readonly recordedAgain: SessionCore["recordedAgain"];
  readonly recordedReports: SessionCore["recordedReports"];
  tracer: SessionCore["tracer"] = undefined;
  switched: SessionCore["switched"] = undefined;
  refresh: SessionCore["refresh"] = undefined;
  watchTurn: SessionCore["watchTurn"] = undefined;
  resumed: SessionCore["resumed"] = undefined;
  pause: SessionCore["pause"] = undefined;

  constructor(given: SessionOptions, standIns: CoreStandIns | undefined) {
    const base = baseParts(given);
    const { sessionId, options, hostPlatform } = base;
    this.sessionId = sessionId;
    this.options = options;
    this.initialOptions = given;
    this.hostPlatform = hostPlatform;
    this.hasStorage = base.hasStorage;
    this.clock = clockOf(hostPlatform);
    this.tools = base.tools;
    this.state = initialState(options);
    this.requestContext = new RequestContext(this.state, options, this.clock.now);
    this.log = logOf(this, standIns);
    this.writer = new SessionWriter(this);
    this.files = trackedFiles(this);
    this.platform = this.files?.platform ?? hostPlatform;
    this.attendance = new Attendance(hostPlatform);
    this.hooks = new SessionHooks(this, standIns?.hooks);
    this.startHooks = new StartHooks(this);
    this.approvals = createApprovals(this, standIns?.evaluator);
    // Finds an uncountable budget now and not with the first turn.
    this.meters = new TurnMeters(this, standIns?.refusal);
    this.owner = { ownerType: "session", ownerId: sessionId };
    const service = options.eventService ?? DEFAULT_ABSTRACT_EVENT_SERVICE;
    this.events = new StructuredEventService(service, [this.owner], this.clock.now);
    this.memory = new SessionMemory(this.state);
    this.nativeWeb = nativeWebTools(options);
    this.autoCompactThreshold = requireThreshold(options.autoCompactThreshold);
    this.recordedAnswer = standIns?.recordedAnswer;
    this.recordedAgain = standIns?.recordedAgain;
    this.recordedReports = standIns?.recordedReports;
  }

  get toolState(): Map<string, unknown> {
    return (this.#toolState ??= new Map());
  }
}

function baseParts(given: SessionOptions): BaseParts {
  requireProvider(given);
  requireOptions(given, SESSION_OPTIONS);
  const tools = toolsByName(given.tools);
  const storage = given.storage ?? given.sessionStore?.storage;
  const options = storage ? { ...given, storage } : { ...given };
  const hostPlatform = assemblePlatform(options);
  const hasStorage = (options.keep ?? true) && (storage ?? options.platform?.storage) !== undefined;
  const sessionId = options.sessionId ?? hostPlatform.randomUUID();
  requireSessionId(sessionId);
  checkLists(options.permissions ?? {});
  checkToolNames(options.permissions ?? {}, options.tools?.map(({ name }) => name) ?? []);
  return { sessionId, options, hostPlatform, hasStorage, tools };
}

/** Events of the log change the state and the model's view of it. */
function logOf(
  { sessionId, hostPlatform, hasStorage, clock, requestContext }: Core,
  standIns: CoreStandIns | undefined,
): SessionLog {
  const log = new SessionLog({
    sessionId,
    storage: hasStorage ? hostPlatform.storage : undefined,
    stored: standIns?.stored,
    now: clock.now,
    onNumbered: standIns?.onNumbered,
    refusalOf: standIns?.refusalOf,
  });
  log.subscribe((event) => requestContext.apply(event));
  return log;
}

/** Absent when the session has no files, or does not follow them. */
function trackedFiles(core: Core): SessionFiles | undefined {
  const { sessionId, options, hostPlatform, hasStorage, state } = core;
  const isTracking = (options.trackFiles ?? true) && Boolean(options.platform ?? options.fs);
  if (!isTracking) return undefined;
  const storage = hasStorage ? hostPlatform.storage : payloadsInMemory();
  const history = new FileHistory(core, new Payloads(storage, sessionId, state));
  return new SessionFiles(options, hostPlatform, history);
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
