import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { CommandScope } from "../../interactive/commands/command.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import { elicitationOf } from "../../interactive/mcp/form.ts";
import { addCommandRoutes, DEFAULT_COMMAND_SCOPES } from "./command-routes.ts";
import { changesAnswer } from "./files/changes-answer.ts";
import { isHidden } from "./files/file-place.ts";
import { addFileRoutes } from "./files/file-routes.ts";
import { idempotencyKey, type SubmitOnce, submitsOnce } from "./idempotency-key.ts";
import { countStreams } from "./limits/count-streams.ts";
import type { StreamCounter } from "./limits/usage-counter.ts";
import { operations } from "./operations.ts";
import { methodsOf } from "./methods.ts";
import {
  HttpProblem,
  isExpected,
  methodNotAllowed,
  noSuchRoute,
  notFound,
  problemResponse,
} from "./problem.ts";
import { exportedLog, filesQuery, flagQuery, importLog, LOG_HEADERS } from "./session-log.ts";
import { principalOf, requireScope, type TicketUse } from "./principal/principal.ts";
import { guardStreams, type IsAllowed } from "./principal/guard-streams.ts";
import { requireFieldScopes } from "./principal/require-operation.ts";
import { refusedTicket, usedTickets } from "./principal/tickets.ts";
import { BODY_IDLE_MS, type BodyLimits } from "./body/body-limits.ts";
import { type BodyDefinition, invalidBody, readBody } from "./body/read-body.ts";
import {
  allEvents,
  eventNumber,
  eventsOfTurn,
  type SessionStreams,
  sessionStreams,
} from "./session-streams.ts";
import { formatOfAnswer } from "./body/format-of-answer.ts";
import { messageAttachments } from "./body/message-attachments.ts";
import { type ClientMessage, loadChat, loadProfile, profileOf } from "./profiles/profile.ts";
import type { SessionEnvironment } from "./session-environment.ts";
import { addQueueRoutes } from "./queue/queue-routes.ts";
import { submitMessage } from "./submit-message.ts";
import { addSocketRoute } from "../web-socket/socket-route.ts";

type SessionContext = Context<SessionEnvironment>;

export interface HttpLimits extends BodyLimits {
  /** Limit for an imported session, counted as its bytes arrive; 64 MiB by default. */
  logBytes: number;
  /** Limit for a file of the workspace, read or written; 16 MiB by default. */
  fileBytes: number;
  /** Event streams of one session at a time; one more ends the oldest. */
  streamsPerSession: number;
}

export interface SessionRoutesOptions {
  limits?: Partial<HttpLimits> | undefined;
  /** Modes that may be set over the network; `plan` and `default` when omitted. */
  permissionModes?: readonly PermissionMode[] | undefined;
  /**
   * The scopes of commands that run over the network; `read` and `write` when omitted. With `privilege`, a caller can change
   * what the agent may do, such as by `/mode` to any mode.
   */
  commandScopes?: readonly CommandScope[] | undefined;
  /**
   * Remembers that a ticket was used; `false` for one that was used before. In memory when omitted, so a host whose
   * sessions outlive their process has to store it.
   */
  redeemTicket?: ((ticket: TicketUse) => boolean | Promise<boolean>) | undefined;
  /** Counts the event streams of principals over all their sessions; nothing is counted when omitted. */
  streamCounter?: StreamCounter | undefined;
  /**
   * Reports whether a principal may still do what it might when its stream or socket was opened; it may when omitted. Called
   * before each piece of an event stream, also before the comments of a quiet one, so answer from memory. The stream ends
   * where the principal may not, and the client's next request learns why.
   */
  isAllowed?: IsAllowed | undefined;
  /** Milliseconds between comments on quiet streams; 15,000 when omitted. */
  pingIntervalMs?: number | undefined;
  /** Called with failures of the server, of which clients learn only that there was one; `console.error` by default. */
  onError?: ((error: unknown) => void) | undefined;
  /** Ends all event streams. */
  stopped?: AbortSignal | undefined;
}

export const DEFAULT_MODES: readonly PermissionMode[] = ["plan", "default"];

export const DEFAULT_LIMITS: HttpLimits = {
  bodyBytes: 1024 * 1024,
  jsonDepth: 64,
  bodyIdleMs: BODY_IDLE_MS,
  logBytes: 64 * 1024 * 1024,
  fileBytes: 16 * 1024 * 1024,
  streamsPerSession: 8,
};

type SessionApp = Hono<SessionEnvironment>;

/** Options common to the routes of a session. */
interface RouteOptions {
  permissionModes: readonly PermissionMode[];
  limits: HttpLimits;
  submitOnce: SubmitOnce;
  /** Called with the failure of a turn after its request was answered. */
  onFailure: (error: unknown) => void;
  stream: SessionStreams;
}

/** The routes of a session, for where it runs. `open` finds the session of a request, which is already authorised. */
export function sessionRoutes(
  open: (context: SessionContext) => Promise<InteractiveSession | undefined>,
  options: SessionRoutesOptions = {},
): SessionApp {
  const { permissionModes = DEFAULT_MODES, pingIntervalMs = 15_000, onError = logError } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { streamsPerSession } = limits;
  const { stopped, redeemTicket = usedTickets() } = options;
  const stream = sessionStreams({ streamsPerSession, pingIntervalMs, stopped, onError });
  const app = withProblems(new Hono<SessionEnvironment>(), onError);

  app.use("/v1/sessions/:id/*", async (context, next) => {
    // Set by a front in this process; one elsewhere sends it along.
    const principal = context.get("principal") ?? principalOf(context.req.raw.headers);
    if (principal.ticket && !(await redeemTicket(principal.ticket))) throw refusedTicket();
    context.set("principal", principal);
    const session = await open(context);
    if (!session) throw notFound();
    // A session that waits for an answer looks idle before it is ready.
    await session.ready;
    context.set("session", session);
    context.header("cache-control", "no-store");
    await next();
    // A client that follows the events knows by it when it has got what this request changed.
    context.header("session-seq", String(session.lastSeq));
  });
  if (options.streamCounter) addToStreams(app, countStreams(options.streamCounter, onError));
  if (options.isAllowed) addToStreams(app, guardStreams(options.isAllowed, onError));
  const shared = {
    permissionModes,
    limits,
    stream,
    submitOnce: submitsOnce(),
    onFailure: (error: unknown): void => {
      if (!isExpected(error)) onError(error);
    },
  };
  addStateRoutes(app, shared);
  addTurnRoutes(app, shared);
  addQueueRoutes(app, shared);
  addCommandRoutes(app, {
    ...shared,
    commandScopes: options.commandScopes ?? DEFAULT_COMMAND_SCOPES,
  });
  addCheckpointRoutes(app, shared);
  addLogRoutes(app, shared);
  addSocketRoute(app);
  addFileRoutes(app, limits);
  return app;
}

/** Adds a middleware to the routes that may answer with an event stream. */
function addToStreams(app: SessionApp, middleware: MiddlewareHandler<SessionEnvironment>): void {
  app.on("GET", operations.streamEvents.path, middleware);
  app.on("GET", operations.resumeChat.path, middleware);
  app.on("POST", operations.sendMessage.path, middleware);
}

/** Adds routes for a session's state. */
function addStateRoutes(app: SessionApp, { permissionModes, limits }: RouteOptions): void {
  const { getSession, updateSession, getMessages, getHistory, getContext } = operations;

  app.get(getSession.path, (context) => context.json(summaryOf(context.var.session)));
  app.patch(updateSession.path, async (context) => {
    const { session } = context.var;
    const changes = await bodyOf(context, updateSession.body, limits);
    const { name, permissionMode, model, language } = changes;
    requireFieldScopes(updateSession, changes, context.var.principal);
    if (permissionMode !== undefined) checkMode(permissionMode, permissionModes);
    // First, since only this may still be refused.
    if (model !== undefined) await session.setModel(model);
    if (permissionMode !== undefined) await session.setPermissionMode(permissionMode);
    if (language !== undefined) await session.setLanguage(language ?? undefined);
    if (name !== undefined) await session.setName(name);
    return context.json(summaryOf(session));
  });
  app.get(getMessages.path, (context) =>
    context.json({ messages: context.var.session.getMessages() }),
  );
  app.get(getHistory.path, (context) =>
    context.json({ history: context.var.session.getFullHistory() }),
  );
  app.get(getContext.path, (context) => context.json(context.var.session.getContextState()));
}

function submitterOf({ submitOnce, onFailure }: Pick<RouteOptions, "submitOnce" | "onFailure">) {
  return async (context: SessionContext, message: ClientMessage) => {
    const { text, displayText, attachments, responseFormat, key, check } = message;
    const { session } = context.var;
    const submission = await submitOnce(session, {
      key: idempotencyKey(context.req.header("idempotency-key")) ?? key,
      content: JSON.stringify([text, displayText, attachments, responseFormat]),
      submit(request) {
        check?.();
        return submitMessage(session, text, () =>
          session.submit(text, { displayInput: displayText, request, attachments, responseFormat }),
        );
      },
    });
    submission.finished.catch(onFailure);
    return submission;
  };
}

/** Adds routes for steering a working session, and for its events. */
function addTurnRoutes(
  app: SessionApp,
  { limits, stream, submitOnce, onFailure }: RouteOptions,
): void {
  const submit = submitterOf({ submitOnce, onFailure });
  const { sendMessage, streamEvents, resumeChat, answerPermission, abort, cancelQueue, steer } =
    operations;

  app.post(sendMessage.path, async (context) => {
    const { session } = context.var;
    const profile = profileOf(context.req);
    if (profile) {
      return (await loadProfile(profile)).post(context.req.raw, {
        session,
        principal: context.var.principal,
        limits,
        stream,
        submit: (message) => submit(context, message),
      });
    }
    const {
      attachments: files,
      responseFormat,
      ...message
    } = await bodyOf(context, sendMessage.body, limits);
    const attachments = files && (await messageAttachments(files, limits));
    if (message.text === "" && !attachments) throw invalidBody(["/text: must not be empty"]);
    const format = responseFormat && (await formatOfAnswer(responseFormat));
    const submission = await submit(context, { ...message, attachments, responseFormat: format });
    const taken = await submission.taken;
    if (!context.req.header("accept")?.includes("text/event-stream"))
      return context.json(taken, 202);
    return stream(session, (signal) => eventsOfTurn(session, submission.started, signal));
  });
  app.get(streamEvents.path, async (context) => {
    const after = eventNumber(context.req.header("last-event-id") ?? context.req.query("after"));
    // Hono answers HEAD through GET; that stream would never be read.
    if (context.req.raw.method === "HEAD") return context.body(null);
    const { session } = context.var;
    const profile = profileOf(context.req);
    if (profile) return (await loadProfile(profile)).follow({ session, stream }, after);
    return stream(session, (signal) => allEvents(session, after, signal));
  });
  app.get(resumeChat.path, async (context) => {
    const { session } = context.var;
    // Hono answers HEAD through GET; nobody would ever read that stream.
    if (!session.isExecuting() || context.req.raw.method === "HEAD") return context.body(null, 204);
    return (await loadChat()).resume({ session, stream });
  });
  app.post(answerPermission.path, async (context) => {
    const { session } = context.var;
    const requestId = context.req.param("requestId") ?? "";
    const {
      decision,
      answer: form,
      ...rest
    } = await bodyOf(context, answerPermission.body, limits);
    const answer = { allow: decision === "allow", ...rest };
    if (form !== undefined) requireForm(session, requestId);
    const updatedArgs = form && { answer: form };
    await session.resolvePermission(requestId, updatedArgs ? { ...answer, updatedArgs } : answer);
    return context.body(null, 204);
  });
  app.post(abort.path, async (context) => {
    context.var.session.abort(await bodyOf(context, abort.body, limits));
    return context.body(null, 204);
  });
  app.post(cancelQueue.path, async (context) => {
    const { text } = await bodyOf(context, cancelQueue.body, limits);
    context.var.session.cancelQueue(text);
    return context.body(null, 204);
  });
  app.post(steer.path, async (context) => {
    const { text } = await bodyOf(context, steer.body, limits);
    await context.var.session.steer(text);
    return context.body(null, 204);
  });
}

/**
 * Lets only a server's form be filled in: whoever may approve a call may not change it.
 * @throws {HttpProblem} 422
 */
function requireForm(session: InteractiveSession, requestId: string): void {
  const request = session.pendingPermissions().find(({ id }) => id === requestId);
  if (!request || elicitationOf(request.tool, request.args)) return;
  throw new HttpProblem(422, "VALIDATION_ERROR", "The request has no form to fill in.", {
    hint: "Send `answer` only for a request that has `args.fields`.",
  });
}

function addCheckpointRoutes(app: SessionApp, { limits }: RouteOptions): void {
  const { getCheckpoints, rewind, listChanges, readChanges } = operations;

  app.get(getCheckpoints.path, (context) =>
    context.json({ checkpoints: context.var.session.checkpoints() }),
  );
  app.post(rewind.path, async (context) => {
    const { session } = context.var;
    const { checkpointId, what, files } = await bodyOf(context, rewind.body, limits);
    if (!files) return context.json(await session.rewind(checkpointId, what));
    if (what && what !== "files") throw invalidBody(["/what: single files have no conversation"]);
    return context.json(await session.changes.restoreFiles(files, checkpointId));
  });
  app.get(listChanges.path, async (context) =>
    context.json({
      files: await context.var.session.changes.changedFiles(context.req.query("turn")),
    }),
  );
  app.post(readChanges.path, async (context) => {
    const wanted = await bodyOf(context, readChanges.body, limits);
    return context.json(await changesAnswer(context.var, wanted));
  });
}

function addLogRoutes(app: SessionApp, { limits }: RouteOptions): void {
  app.get(operations.exportLog.path, async (context) => {
    const files = filesQuery(context.req.query("files"));
    const grants = flagQuery("grants", context.req.query("grants"));
    // Hono answers HEAD through GET; that stream would never be read.
    if (context.req.raw.method === "HEAD") return context.body(null, 200, LOG_HEADERS);
    const { session, principal } = context.var;
    const leavesOut = (path: string): boolean => isHidden(path, principal);
    const log = await exportedLog(session, { files, grants, leavesOut });
    return new Response(log, { headers: LOG_HEADERS });
  });
  app.post(operations.handOver.path, async (context) => {
    const { session } = context.var;
    const options = await bodyOf(context, operations.handOver.body, limits);
    // A caller over the network goes on with it where they are.
    const to = await session.handOver({ ...options, isElsewhere: true });
    return context.json({ to, seq: session.lastSeq });
  });
  app.put(operations.importLog.path, async (context) => {
    const { principal, session } = context.var;
    const trusted = flagQuery("trusted", context.req.query("trusted"));
    if (trusted) requireScope(principal, "admin", "A trusted import");
    await importLog(session, context.req.raw.body, limits, trusted);
    return context.body(null, 204);
  });
}

function bodyOf<Body>(
  context: Context,
  definition: BodyDefinition<Body>,
  limits: HttpLimits,
): Promise<Body> {
  return readBody(context.req.raw, definition, limits);
}

/** Turns every failure of an app into `application/problem+json`; server errors go to `onError` too. */
export function withProblems<App extends Hono<SessionEnvironment>>(
  app: App,
  onError: (error: unknown) => void,
): App {
  app.onError((error) => {
    if (!isExpected(error)) onError(error);
    return problemResponse(error);
  });
  app.notFound(({ req }) => {
    const allowed = methodsOf(app, req.path);
    if (allowed.length > 0) return problemResponse(methodNotAllowed(allowed));
    return problemResponse(noSuchRoute());
  });
  return app;
}

export function logError(error: unknown): void {
  console.error(error);
}

/** @throws {HttpProblem} 403 */
export function checkMode(mode: PermissionMode, allowed: readonly PermissionMode[]): void {
  if (allowed.includes(mode)) return;
  throw new HttpProblem(
    403,
    "MODE_NOT_ALLOWED",
    `The mode ${mode} can't be set over the network here.`,
    { hint: `This server allows ${allowed.join(", ")}.` },
  );
}

function summaryOf(session: InteractiveSession): object {
  const pendingPermissions = session.pendingPermissions();
  const running = session.isExecuting() ? "open" : "idle";
  return {
    id: session.sessionId,
    name: session.getName(),
    state: pendingPermissions.length > 0 ? "waiting" : running,
    permissionMode: session.getPermissionMode(),
    language: session.getLanguage(),
    pendingPermissions,
    pendingPrompt: session.getPendingPrompt(),
    context: session.getContextState(),
    model: session.getModel(),
    seq: session.lastSeq,
    handedOverTo: session.handedOverTo,
  };
}
