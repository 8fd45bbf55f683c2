import { type Context, Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { ConfigurationError } from "../../errors.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { TransportAdapter } from "../../interactive/transport-adapter.ts";
import { type OptionForms, requireOptions } from "../../option-forms.ts";
import { type AccessOptions, checkAccess, checkSource, currentTokens, ID } from "./access.ts";
import {
  anonymousOwnerOf,
  anonymousTokenOf,
  isAnonymousOwner,
  keyNeedsToken,
  newAnonymousToken,
  tokenNeeded,
} from "./anonymous.ts";
import { authenticate, type Owner } from "./authenticate.ts";
import type { IsAllowed } from "./principal/guard-streams.ts";
import { isStillGranted } from "./principal/granted.ts";
import { requireFieldScopes, requireOperation } from "./principal/require-operation.ts";
import { type Principal, withPrincipal } from "./principal/principal.ts";
import { operationOf } from "./principal/operation-of.ts";
import { SCOPES } from "./principal/scopes.ts";
import { addTicketRoute } from "./principal/ticket-route.ts";
import type { TokenTable } from "./principal/tokens.ts";
import { refusedTicket, type Tickets, ticketsFrom } from "./principal/tickets.ts";
import { llmsText, openApiDocument } from "./describe.ts";
import { digest } from "./digest.ts";
import { forkOverHost } from "./fork-session.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { limitProblem } from "./limits/usage.ts";
import type { UsageCounter } from "./limits/usage-counter.ts";
import { operations } from "./operations.ts";
import { bearerOf } from "../web-socket/bearer-protocol.ts";
import { methodsOf } from "./methods.ts";
import { differentRequest, HttpProblem, noSuchRoute, notFound } from "./problem.ts";
import { readBody } from "./body/read-body.ts";
import { recordRequests, type RequestRecord } from "./request-log.ts";
import type { SessionEnvironment } from "./session-environment.ts";
import type { NewSession, OpenSession, SessionHost } from "./session-host.ts";
import {
  checkMode,
  DEFAULT_LIMITS,
  DEFAULT_MODES,
  logError,
  sessionRoutes,
  type SessionRoutesOptions,
  withProblems,
} from "./session-routes.ts";

export interface HttpTransportOptions extends AccessOptions, Omit<SessionRoutesOptions, "stopped"> {
  /** Creates and finds sessions. Without it, only attached sessions are served. */
  sessions?: SessionHost | undefined;
  /** The client's address, so that a host can limit callers who change their tokens; unknown when omitted. */
  clientAddress?: ((request: Request) => string | undefined) | undefined;
  /**
   * Counts the requests of principals, and says which to refuse. Without it, nothing is counted here; streams are by
   * `streamCounter`.
   */
  countRequest?: UsageCounter["request"] | undefined;
  /** Called with every request once it is answered, for a log without content. */
  onRequest?: ((record: RequestRecord) => void) | undefined;
  /**
   * The secret that tickets are signed with, at least 32 random characters; the same for all processes that share their
   * callers. Random for this process when omitted; `null` makes no tickets.
   */
  ticketSecret?: string | null | undefined;
}

/** A Hono app, and a transport that sessions can be attached to. */
export type HttpTransport = Hono<SessionEnvironment> &
  TransportAdapter & {
    /**
     * Answers requests that carry their principal, such as those of sockets, by the routes that serve callers. Only for
     * requests that were made here.
     */
    fetchAuthorised: (request: Request) => Response | Promise<Response>;
    /** Reports whether the token behind a stream or socket is still good, for `webSocketTransport`. */
    isAllowed: IsAllowed;
  };

type App = Hono<SessionEnvironment>;
type Middleware = MiddlewareHandler<SessionEnvironment>;
/** Sessions that the program itself made, by their ids. */
type Attached = ReadonlyMap<string, InteractiveSession>;

const OPTIONS: OptionForms<HttpTransportOptions> = {
  tokens: "any",
  anonymousOwner: "string",
  allowedOrigins: "array",
  allowedHosts: "array",
  limits: "object",
  permissionModes: "array",
  commandScopes: "array",
  redeemTicket: "function",
  streamCounter: "object",
  isAllowed: "function",
  pingIntervalMs: "number",
  onError: "function",
  sessions: "object",
  clientAddress: "function",
  countRequest: "function",
  onRequest: "function",
  ticketSecret: "string",
};

/** Characters of a secret for tickets, at least. */
const MIN_SECRET = 32;
const EXPOSED_HEADERS = [
  "Location",
  "Content-Range",
  "ETag",
  "Retry-After",
  "Session-Seq",
  "WWW-Authenticate",
];
const ALLOWED_HEADERS = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "Range",
  "Last-Event-ID",
  "Accept",
];

/**
 * Sessions over HTTP: `transport.fetch` serves them in a worker, and in Node behind any server that speaks `Request` and
 * `Response`. An attached session is open to every caller with a token. `stop` ends all streams, for good; the sessions
 * themselves are their owner's.
 *
 * @throws {ConfigurationError} without tokens, unless `anonymousOwner` opens it on purpose; for a misspelt option
 */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  requireOptions(options, OPTIONS);
  const { sessions, onError = logError } = options;
  checkAccess(options);
  const attached = new Map<string, InteractiveSession>();
  const stopped = new AbortController();
  const app = withProblems(new Hono<SessionEnvironment>(), onError);
  addGuards(app, options, stopped.signal);

  app.get(operations.health.path, (context) => context.json({ status: "ok" }));
  app.get(operations.openapi.path, async (context) => context.json(await openApiDocument()));
  app.get(operations.docs.path, async () => (await import("./docs-page.ts")).docsPage());
  app.get(operations.llms.path, async (context) => context.text(await llmsText()));

  const tickets = ticketsOf(options);
  app.use("/v1/*", knowPrincipal(options, tickets));
  app.use("/v1/*", requireOperation);
  if (options.countRequest) app.use("/v1/*", countRequests(options.countRequest, options));
  const open: OpenSession = async (owner, id) =>
    ID.test(id) ? (attached.get(id) ?? (await sessions?.open(owner, id))) : undefined;
  addTicketRoute(app, { tickets, open, limits: { ...DEFAULT_LIMITS, ...options.limits } });
  addCreation(app, options, attached);
  addCollection(app, sessions, attached);
  addFork(app, options, attached);
  app.use("/v1/sessions/:id/*", handOn(open));
  const isAllowed: IsAllowed = async (facts) =>
    (await isStillGranted(facts.principal, await currentTokens(options))) &&
    ((await options.isAllowed?.(facts)) ?? true);
  const routes = sessionRoutes(
    async (context) => {
      const known = context.get("session");
      if (known) return known;
      const reached = await open(context.var.principal.owner, context.req.param("id") ?? "");
      return reached && "fetch" in reached ? undefined : reached;
    },
    { ...options, isAllowed, stopped: stopped.signal },
  );
  app.route("/", routes);

  return Object.assign(app, {
    name: "http",
    fetchAuthorised: (request: Request) => routes.fetch(request),
    isAllowed,
    attach: (session: InteractiveSession): void => void attached.set(session.sessionId, session),
    // Does not listen by itself: the caller of `fetch` decides when.
    async start() {},
    async stop() {
      stopped.abort();
      attached.clear();
    },
  });
}

/** Adds the checks that every request must pass. */
function addGuards(app: App, options: HttpTransportOptions, stopped: AbortSignal): void {
  const { onRequest, ticketSecret } = options;
  if (onRequest) app.use(recordRequests(onRequest, ticketSecret ?? randomSecret()));
  app.use(checkSource(options));
  app.use(async (context, next) => {
    if (stopped.aborted) throw new HttpProblem(503, "STOPPED", "This server was stopped.");
    context.header("x-content-type-options", "nosniff");
    context.header("referrer-policy", "no-referrer");
    await next();
  });
  app.use(answerOptions(app));
  app.use(
    cors({
      origin: [...(options.allowedOrigins ?? [])],
      allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      allowHeaders: ALLOWED_HEADERS,
      exposeHeaders: EXPOSED_HEADERS,
      maxAge: 600,
    }),
  );
}

/** Answers a bare OPTIONS with the methods of a path; one with an `Origin` is a browser's question for `cors`. */
function answerOptions(app: App): Middleware {
  return async (context, next) => {
    const isPreflight = context.req.header("access-control-request-method") !== undefined;
    if (context.req.method !== "OPTIONS" || isPreflight) return next();
    const methods = methodsOf(app, context.req.path);
    if (methods.length === 0) throw noSuchRoute();
    return context.body(null, 204, { allow: [...methods, "OPTIONS"].join(", ") });
  };
}

/**
 * Finds out who calls. A caller without a token gets one, where everybody is let in, with the session that they make.
 * Where an operation takes tickets, a ticket stands in for a missing token.
 */
function knowPrincipal(options: HttpTransportOptions, tickets: Tickets | undefined): Middleware {
  const { anonymousOwner } = options;
  return async (context, next) => {
    const tokens = await currentTokens(options);
    context.header("cache-control", "no-store");
    const header =
      context.req.header("authorization") ?? bearerOf(context.req.header("sec-websocket-protocol"));
    const { method, path } = context.req;
    const ticket = context.req.query("ticket");
    if (header === undefined && ticket !== undefined) {
      context.set("principal", await ticketPrincipal(tickets, ticket, { method, path, tokens }));
      return next();
    }
    const isBeginning = method === "POST" && path === operations.createSession.path;
    if (anonymousOwner !== undefined && header === undefined) {
      if (!isBeginning) throw tokenNeeded();
      context.set("newToken", newAnonymousToken());
    }
    const token = context.get("newToken") ?? anonymousTokenOf(header);
    const principal: Principal =
      anonymousOwner !== undefined && token !== undefined
        ? { owner: await anonymousOwnerOf(anonymousOwner, token), scopes: SCOPES }
        : await authenticate(header, { tokens });
    context.set("principal", principal);
    await next();
  };
}

function countRequests(
  count: UsageCounter["request"],
  { clientAddress }: HttpTransportOptions,
): Middleware {
  return async (context, next) => {
    const { method, path, raw } = context.req;
    const refusal = await count(context.var.principal.owner, {
      spends: operationOf(method, path)?.spends ?? false,
      address: clientAddress?.(raw),
    });
    if (refusal) throw limitProblem(refusal);
    await next();
  };
}

/** @throws {HttpProblem} 401, also where a ticket can't replace a token */
async function ticketPrincipal(
  tickets: Tickets | undefined,
  ticket: string,
  { method, path, tokens }: { method: string; path: string; tokens: TokenTable },
): Promise<Principal> {
  // `/v1/sessions/{id}/…`
  const session = path.split("/")[3] ?? "";
  if (!tickets || !operationOf(method, path)?.takesTicket) throw refusedTicket();
  return tickets.verify(ticket, { session, tokens });
}

/** @throws {ConfigurationError} for a secret that could be guessed */
function ticketsOf({ ticketSecret = randomSecret() }: HttpTransportOptions): Tickets | undefined {
  if (ticketSecret === null) return undefined;
  if (ticketSecret.length < MIN_SECRET) {
    throw new ConfigurationError(`The secret for tickets has under ${MIN_SECRET} characters`, {
      hint: "Make one with `openssl rand -hex 32`.",
    });
  }
  return ticketsFrom(ticketSecret);
}

function randomSecret(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), String).join(".");
}

function addCreation(app: App, options: HttpTransportOptions, attached: Attached): void {
  const { sessions, permissionModes = DEFAULT_MODES, clientAddress, anonymousOwner } = options;
  const { createSession } = operations;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };

  app.post(createSession.path, async (context) => {
    if (!sessions) throw notSupported();
    const body = await readBody(context.req.raw, createSession.body, limits);
    const { owner } = context.var.principal;
    requireFieldScopes(createSession, body, context.var.principal);
    const { permissionMode } = body;
    if (permissionMode !== undefined) checkMode(permissionMode, permissionModes);
    const key = idempotencyKey(context.req.header("idempotency-key"));
    const token = context.get("newToken");
    if (key !== undefined && token !== undefined) throw keyNeedsToken();
    const address = clientAddress?.(context.req.raw);
    const { id: wanted, ...session } = body;
    // Sessions of anonymous callers are counted by their ids, over all the tokens of an address.
    const isKept =
      wanted !== undefined &&
      !attached.has(wanted) &&
      !(anonymousOwner !== undefined && isAnonymousOwner(anonymousOwner, owner)) &&
      (await createsAs(sessions, owner, { ...session, id: wanted, address }, key));
    if (isKept) return created(context, wanted);
    const id = await newSessionId(owner, key);
    const fingerprint = await digest(JSON.stringify(body));
    await sessions.create(owner, { ...session, id, fingerprint, address });
    return created(context, id, token);
  });
}

/** Creates a session under the id that its client chose; `false` when that is taken, by whomever. */
async function createsAs(
  sessions: SessionHost,
  owner: Owner,
  session: Omit<NewSession, "fingerprint">,
  key: string = crypto.randomUUID(),
): Promise<boolean> {
  const { address: _address, ...facts } = session;
  const fingerprint = await digest(JSON.stringify([owner, facts, key]));
  try {
    await sessions.create(owner, { ...session, fingerprint });
    return true;
  } catch (error) {
    if (error instanceof HttpProblem && error.code === differentRequest().code) return false;
    throw error;
  }
}

function addCollection(app: App, sessions: SessionHost | undefined, attached: Attached): void {
  const { listSessions, deleteSession } = operations;

  app.get(listSessions.path, async (context) => {
    const mine = (await sessions?.list(context.var.principal.owner)) ?? [];
    const others = await Promise.all([...attached.values()].map(summaryOfAttached));
    return context.json({ sessions: [...others, ...mine] });
  });
  app.delete(deleteSession.path, async (context) => {
    const id = context.req.param("id") ?? "";
    const isGone = ID.test(id) && (await sessions?.delete(context.var.principal.owner, id));
    if (!isGone) throw notFound();
    return context.body(null, 204);
  });
}

function addFork(
  app: App,
  options: HttpTransportOptions,
  attached: Map<string, InteractiveSession>,
): void {
  const { sessions, clientAddress } = options;
  const { forkSession } = operations;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };

  app.post(forkSession.path, async (context) => {
    const { principal } = context.var;
    const id = context.req.param("id") ?? "";
    const { at } = await readBody(context.req.raw, forkSession.body, limits);
    const mine = attached.get(id);
    if (mine) {
      const fork = await mine.fork(at);
      attached.set(fork.sessionId, fork);
      return created(context, fork.sessionId);
    }
    if (!sessions || !ID.test(id)) throw notFound();
    const address = clientAddress?.(context.req.raw);
    return created(context, await forkOverHost(sessions, principal, { id, at, address }));
  });
}

/** Hands requests on to where the session runs, unless it runs here. */
function handOn(open: OpenSession): Middleware {
  return async (context, next) => {
    const { principal } = context.var;
    const session = await open(principal.owner, context.req.param("id") ?? "");
    if (!session) throw notFound();
    if ("fetch" in session) {
      const response = await session.fetch(withPrincipal(context.req.raw, principal));
      if (response.status !== 101) return response;
      context.env?.switched?.(response);
      return context.body(null, 204);
    }
    context.set("session", session);
    return next();
  };
}

/** `token`: for a caller without one, sent this once. */
function created(context: Context, id: string, token?: string): Response {
  const url = new URL(`/v1/sessions/${id}`, context.req.url).href;
  return context.json({ id, url, token }, 201, { Location: url });
}

/** A deterministic id per key: two concurrent requests create one session, without a table of keys. */
async function newSessionId(owner: Owner, key: string | undefined): Promise<string> {
  if (key === undefined) return crypto.randomUUID();
  return digest(`${owner}\n${key}`);
}

async function summaryOfAttached(session: InteractiveSession): Promise<object> {
  await session.ready;
  const isWaiting = session.pendingPermissions().length > 0;
  const running = session.isExecuting() ? "open" : "idle";
  return {
    id: session.sessionId,
    name: session.getName(),
    state: isWaiting ? "waiting" : running,
    handedOverTo: session.handedOverTo,
  };
}

function notSupported(): HttpProblem {
  return new HttpProblem(
    405,
    "NOT_SUPPORTED",
    "This server serves the sessions it has and makes no new ones.",
    { hint: "GET /v1/sessions lists them.", headers: { allow: "GET, HEAD" } },
  );
}
