import { type Context, Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { ConfigurationError } from "../../errors.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { TransportAdapter } from "../../interactive/types.ts";
import {
  anonymousOwnerOf,
  anonymousTokenOf,
  isAnonymousOwner,
  keyNeedsToken,
  newAnonymousToken,
  tokenNeeded,
} from "./anonymous.ts";
import { authenticate, type Owner } from "./authenticate.ts";
import { llmsText, openApiDocument } from "./describe.ts";
import { digest } from "./digest.ts";
import { forkOverHost } from "./fork-session.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { operations } from "./operations.ts";
import { methodsOf } from "./methods.ts";
import { HttpProblem, methodNotAllowed, notFound } from "./problem.ts";
import { readBody } from "./request-body.ts";
import type { SessionHost } from "./session-host.ts";
import {
  checkMode,
  DEFAULT_LIMITS,
  DEFAULT_MODES,
  logError,
  type SessionEnvironment,
  sessionRoutes,
  type SessionRoutesOptions,
  withProblems,
} from "./session-routes.ts";

export interface HttpTransportOptions extends Omit<SessionRoutesOptions, "stopped"> {
  /** Where sessions are made and found. Without it, only sessions that are attached are served. */
  sessions?: SessionHost;
  /** Owners (letters, digits, `_`, `-`; at most 64) and their bearer tokens. */
  tokens?: Readonly<Record<Owner, string>>;
  /**
   * Lets everybody in, each as an owner of their own whose name begins with this one and `-`. Making a session without a
   * token answers with one, which is all that leads to that session. For an offline provider on purpose: what it costs and
   * what it can reach is then open to everybody who finds the address. At most 31 letters, digits, `_` or `-`.
   */
  anonymousOwner?: Owner;
  /** Where a request comes from, so that a host can limit callers who change their tokens; unknown when omitted. */
  clientAddress?: (request: Request) => string | undefined;
  /** Web origins that may call, such as `https://app.example`, beside the server's own. No wildcard. */
  allowedOrigins?: readonly string[];
  /**
   * `Host` headers that are answered, such as `localhost:8787`, or `localhost` for any port; all when omitted. Stops DNS
   * rebinding to local servers.
   */
  allowedHosts?: readonly string[];
}

/** A Hono app, and a transport that sessions can be attached to. */
export type HttpTransport = Hono<SessionEnvironment> & TransportAdapter;

const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** So that an owner's name, with its digest, is no longer than an owner's name may be. */
const MAX_ANONYMOUS_PREFIX = 31;
const EXPOSED_HEADERS = ["Location", "Retry-After", "WWW-Authenticate"];
const ALLOWED_HEADERS = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "Last-Event-ID",
  "Accept",
];

/**
 * Sessions over HTTP: `transport.fetch` serves them in a worker, and in Node behind any server that speaks `Request` and
 * `Response`. An attached session is open to every caller with a token. `stop` ends all streams, for good; the sessions
 * themselves are their owner's.
 *
 * @throws {ConfigurationError} without tokens, unless `anonymousOwner` opens it on purpose
 */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  const { sessions, tokens = {}, anonymousOwner, allowedOrigins = [] } = options;
  const { permissionModes = DEFAULT_MODES, onError = logError } = options;
  checkAccess(options);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const attached = new Map<string, InteractiveSession>();
  const stopped = new AbortController();
  const app = withProblems(new Hono<SessionEnvironment>(), onError);
  const { createSession, listSessions, deleteSession } = operations;
  const addressOf = ({ req }: Context): { address?: string } => {
    const address = options.clientAddress?.(req.raw);
    return address === undefined ? {} : { address };
  };

  app.use(checkSource(options));
  app.use(async (context, next) => {
    if (stopped.signal.aborted) throw new HttpProblem(503, "STOPPED", "This server was stopped.");
    context.header("x-content-type-options", "nosniff");
    await next();
  });
  app.use(
    cors({
      origin: [...allowedOrigins],
      allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      allowHeaders: ALLOWED_HEADERS,
      exposeHeaders: EXPOSED_HEADERS,
      maxAge: 600,
    }),
  );

  app.get(operations.health.path, (context) => context.json({ status: "ok" }));
  app.get(operations.openapi.path, (context) => context.json(openApiDocument()));
  app.get(operations.llms.path, (context) => context.text(llmsText()));

  app.use("/v1/*", async (context, next) => {
    context.header("cache-control", "no-store");
    const header = context.req.header("authorization");
    const isBeginning = context.req.method === "POST" && context.req.path === createSession.path;
    if (anonymousOwner !== undefined && header === undefined) {
      if (!isBeginning) throw tokenNeeded();
      context.set("newToken", newAnonymousToken());
    }
    const token = context.get("newToken") ?? anonymousTokenOf(header);
    const owner =
      anonymousOwner !== undefined && token !== undefined
        ? anonymousOwnerOf(anonymousOwner, token)
        : authenticate(header, { tokens });
    context.set("owner", await owner);
    await next();
  });

  app.post(createSession.path, async (context) => {
    if (!sessions) throw notSupported();
    const body = await readBody(context.req.raw, createSession.body, limits);
    const { owner } = context.var;
    const { permissionMode } = body;
    if (permissionMode !== undefined) checkMode(permissionMode, permissionModes);
    const key = idempotencyKey(context.req.header("idempotency-key"));
    const token = context.get("newToken");
    if (key !== undefined && token !== undefined) throw keyNeedsToken();
    const id = await newSessionId(owner, key);
    const fingerprint = await digest(JSON.stringify(body));
    await sessions.create(owner, { ...body, id, fingerprint, ...addressOf(context) });
    return created(context, id, token);
  });

  app.get(listSessions.path, async (context) => {
    const mine = (await sessions?.list(context.var.owner)) ?? [];
    const others = await Promise.all([...attached.values()].map(summaryOfAttached));
    return context.json({ sessions: [...others, ...mine] });
  });

  app.delete(deleteSession.path, async (context) => {
    const id = context.req.param("id") ?? "";
    const isGone = SESSION_ID.test(id) && (await sessions?.delete(context.var.owner, id));
    if (!isGone) throw notFound();
    return context.body(null, 204);
  });

  app.post(operations.forkSession.path, async (context) => {
    const { owner } = context.var;
    const id = context.req.param("id") ?? "";
    const { at } = await readBody(context.req.raw, operations.forkSession.body, limits);
    const mine = attached.get(id);
    if (mine) {
      const fork = await mine.fork(at);
      attached.set(fork.sessionId, fork);
      return created(context, fork.sessionId);
    }
    if (!sessions || !SESSION_ID.test(id)) throw notFound();
    return created(context, await forkOverHost(sessions, owner, { id, at, ...addressOf(context) }));
  });

  /** Hands requests on to where the session runs, unless it runs here. */
  app.use("/v1/sessions/:id/*", async (context, next) => {
    const { id } = context.req.param();
    const allowed = methodsOf(app, context.req.path);
    // A session that runs elsewhere knows its own routes only, and not those of this app.
    if (allowed.length > 0 && !allowed.includes(context.req.method))
      throw methodNotAllowed(allowed);
    if (!SESSION_ID.test(id)) throw notFound();
    const session = attached.get(id) ?? (await sessions?.open(context.var.owner, id));
    if (!session) throw notFound();
    if ("fetch" in session) return session.fetch(context.req.raw);
    context.set("session", session);
    return next();
  });
  app.route(
    "/",
    sessionRoutes((context) => Promise.resolve(context.var.session), {
      ...options,
      stopped: stopped.signal,
    }),
  );

  return Object.assign(app, {
    name: "http",
    attach: (session: InteractiveSession): void => void attached.set(session.sessionId, session),
    // It listens to nothing by itself: whoever calls `fetch` decides when.
    start: () => Promise.resolve(),
    async stop(): Promise<void> {
      stopped.abort();
      attached.clear();
    },
  });
}

/** `token`: of a caller who had none, told this once. */
function created(context: Context, id: string, token?: string): Response {
  const url = new URL(`/v1/sessions/${id}`, context.req.url).href;
  const answer = { id, url, ...(token === undefined ? {} : { token }) };
  return context.json(answer, 201, { Location: url });
}

function checkAccess({
  tokens = {},
  anonymousOwner,
  allowedOrigins = [],
}: HttpTransportOptions): void {
  const owners = [
    ...Object.keys(tokens),
    ...(anonymousOwner === undefined ? [] : [anonymousOwner]),
  ];
  if (owners.length === 0) {
    throw new ConfigurationError("Nobody could use this server: it has no token", {
      hint: "Give it `tokens`, or open it to everybody on purpose with `anonymousOwner`.",
    });
  }
  const badOwner = owners.find((owner) => !SESSION_ID.test(owner));
  if (badOwner !== undefined) {
    throw new ConfigurationError(`"${badOwner}" is no name for an owner`, {
      hint: "Use 1 to 64 letters, digits, _ or -.",
    });
  }
  checkAnonymousOwner(anonymousOwner, Object.keys(tokens));
  if (Object.values(tokens).includes("")) {
    throw new ConfigurationError("A token is empty", {
      hint: "Make one with `openssl rand -hex 32`.",
    });
  }
  if (allowedOrigins.includes("*")) {
    throw new ConfigurationError("`*` is no origin", { hint: "Name each origin that may call." });
  }
}

function checkAnonymousOwner(prefix: Owner | undefined, known: readonly Owner[]): void {
  if (prefix === undefined) return;
  if (prefix.length > MAX_ANONYMOUS_PREFIX) {
    throw new ConfigurationError("The name of `anonymousOwner` is too long", {
      hint: `Use at most ${MAX_ANONYMOUS_PREFIX} characters.`,
    });
  }
  const taken = known.find((owner) => isAnonymousOwner(prefix, owner));
  if (taken !== undefined) {
    throw new ConfigurationError(`"${taken}" is a name of callers without a token`, {
      hint: "Give the owner of a token another name.",
    });
  }
}

/**
 * Turns away browsers that were sent here by a page of somebody else: with an `Origin` that is not allowed, which also
 * covers requests that need no preflight, or with a `Host` that is not this server's.
 */
function checkSource(options: HttpTransportOptions): MiddlewareHandler {
  const { allowedOrigins = [], allowedHosts } = options;
  return async (context, next) => {
    const { host, hostname } = new URL(context.req.url);
    if (allowedHosts && !allowedHosts.includes(host) && !allowedHosts.includes(hostname)) {
      throw new HttpProblem(421, "HOST_NOT_ALLOWED", `This server does not answer for ${host}.`, {
        hint: "Its operator can add the host to `allowedHosts`.",
      });
    }
    const origin = context.req.header("origin");
    const isOwn = origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
    if (origin !== undefined && !isOwn && !allowedOrigins.includes(origin)) {
      throw new HttpProblem(
        403,
        "ORIGIN_NOT_ALLOWED",
        `Pages of ${origin} may not call this server.`,
        { hint: "Its operator can add the origin to `allowedOrigins`." },
      );
    }
    await next();
  };
}

/** With a key, always the same id: two requests at once make one session, without any memory of keys. */
async function newSessionId(owner: Owner, key: string | undefined): Promise<string> {
  if (key === undefined) return crypto.randomUUID();
  return digest(`${owner}\n${key}`);
}

async function summaryOfAttached(session: InteractiveSession): Promise<object> {
  await session.ready;
  const isWaiting = session.pendingPermissions().length > 0;
  const running = session.isExecuting() ? "open" : "idle";
  return { id: session.sessionId, name: session.getName(), state: isWaiting ? "waiting" : running };
}

function notSupported(): HttpProblem {
  return new HttpProblem(
    405,
    "NOT_SUPPORTED",
    "This server serves the sessions it has and makes no new ones.",
    { hint: "GET /v1/sessions lists them.", headers: { allow: "GET, HEAD" } },
  );
}
