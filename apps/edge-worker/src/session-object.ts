import { edgePlatform } from "@robota/adapters-edge";
import quickjs from "@robota/shell/quickjs.wasm";
import {
  ConfigurationError,
  contentText,
  InteractiveSession,
  type PermissionMode,
} from "@robota/runtime";
import {
  isAnonymousOwner,
  isStillGranted,
  PING,
  PONG,
  type Refusal,
  sessionRoutes,
  type SessionSummary,
  SOCKET_PROTOCOL,
  type SocketFacts,
  type TokenTable,
  webSocketTransport,
} from "@robota/runtime/transports";
import { DurableObject } from "cloudflare:workers";
import { ANONYMOUS } from "./anonymous.ts";
import type { Environment } from "./environment.ts";
import { chooseProvider, countedProvider } from "./provider.ts";
import { readMilliseconds, readOperatorSettings } from "./settings.ts";
import { redeemTicket } from "./tickets.ts";
import { tokensOf } from "./tokens.ts";
import { notConfigured } from "./not-configured.ts";
import { countingDirectory, countStreamsIn } from "./usage.ts";

/** An object's facts about its session beside the session's own log. */
export interface SessionRecord {
  id: string;
  owner: string;
  /** ISO 8601. */
  createdAt: string;
  permissionMode?: PermissionMode | undefined;
  /** Another directory that counts it: that of an anonymous caller's address. */
  countedIn?: string | undefined;
}

const RECORD = "session";
const WORKSPACE = "/workspace";
/** Key of an anonymous session's expiry time, in milliseconds since the epoch. */
const EXPIRES_AT = "expires-at";

/**
 * One session: its files, its log, and its running turn. Everything is rebuilt from the log when the object wakes, so
 * an isolate may die at any time; requests that get here are already authorised.
 */
export class SessionObject extends DurableObject<Environment> {
  #routes: Promise<ReturnType<typeof sessionRoutes>> | undefined;
  #opening: Promise<InteractiveSession> | undefined;
  /** The worker's callers, who change only with its deployment. */
  #tokens: TokenTable | undefined;
  /** True while a turn is open: running, or waiting for an approval. */
  #hasTurn = false;

  readonly #sockets = webSocketTransport({
    open: () => this.#open(),
    fetch: (request) => this.#handle(request),
    isAllowed: (facts) => this.#isAllowed(facts),
    countRequest: (owner, { spends }) => this.#countRequest(owner, spends),
  });

  constructor(ctx: DurableObjectState, env: Environment) {
    super(ctx, env);
    // Signs of life wake nobody.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  override async fetch(request: Request): Promise<Response> {
    let accepted: SocketFacts | undefined;
    const response = await this.#handle(request, (facts) => (accepted = facts));
    if (!accepted) return response;
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.ctx.acceptWebSocket(server);
    this.ctx.waitUntil(this.#sockets.accept(server, accepted));
    const headers = { "sec-websocket-protocol": SOCKET_PROTOCOL };
    return new Response(null, { status: 101, webSocket: client, headers });
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    await this.#sockets.receive(socket, data);
  }

  override webSocketClose(socket: WebSocket): void {
    this.#sockets.closed(socket);
    // Answers the client's farewell, for which it waits otherwise.
    socket.close();
  }

  override webSocketError(socket: WebSocket): void {
    this.#sockets.closed(socket);
  }

  /** Answers a request that came by itself, or over a socket. */
  async #handle(request: Request, acceptSocket?: (facts: SocketFacts) => void): Promise<Response> {
    const { pathname } = new URL(request.url);
    const isMove =
      (request.method === "PUT" && pathname.endsWith("/log")) || pathname.endsWith("/hand-over");
    // An answer lets a waiting turn go on, and so does an import: the watchdog must be set before.
    const mayGoOn = isMove || pathname.includes("/permissions/");
    if (mayGoOn && this.ctx.storage.kv.get(RECORD)) await this.#setWatchdog();
    const routes = await this.#findRoutes();
    const response = await routes.fetch(request, acceptSocket ? { acceptSocket } : {});
    const session = isMove && response.ok ? await this.#open() : undefined;
    if (session) {
      this.#hasTurn = session.isExecuting();
      await this.#watch(session);
    }
    return response;
  }

  /**
   * Reports whether the session is still this owner's and the token still good: streams and sockets outlive the requests
   * that opened them.
   */
  async #isAllowed({ principal }: SocketFacts): Promise<boolean> {
    const record = this.ctx.storage.kv.get<SessionRecord>(RECORD);
    if (record?.owner !== principal.owner) return false;
    this.#tokens ??= tokensOf(this.env);
    return isStillGranted(principal, this.#tokens);
  }

  /** Counts a request of a socket; the front counts those that come by themselves. */
  async #countRequest(owner: string, spends: boolean): Promise<Refusal | undefined> {
    const { usage } = await readOperatorSettings(this.env);
    const countedIn = this.ctx.storage.kv.get<SessionRecord>(RECORD)?.countedIn;
    const directory = countingDirectory(this.env.DIRECTORIES, { owner, countedIn });
    return directory.countRequest(usage, spends);
  }

  #findRoutes(): Promise<ReturnType<typeof sessionRoutes>> {
    this.#routes ??= this.#makeRoutes().catch((error: unknown) => {
      this.#routes = undefined;
      throw error;
    });
    return this.#routes;
  }

  async #makeRoutes(): Promise<ReturnType<typeof sessionRoutes>> {
    const settings = await readOperatorSettings(this.env);
    const { permissionModes, commandScopes, streamsPerSession, bodyBytes, logBytes, fileBytes } =
      settings;
    return sessionRoutes(() => this.#open(), {
      permissionModes,
      commandScopes,
      limits: { streamsPerSession, bodyBytes, logBytes, fileBytes },
      isAllowed: (facts) => this.#isAllowed(facts),
      redeemTicket: (ticket) => redeemTicket(this.ctx.storage.kv, ticket),
      streamCounter: countStreamsIn((owner) => {
        const record = this.ctx.storage.kv.get<SessionRecord>(RECORD);
        return countingDirectory(this.env.DIRECTORIES, { owner, countedIn: record?.countedIn });
      }, settings.usage),
    });
  }

  /** Makes the session with a small project to work on; does nothing when it was made before. */
  async create(record: SessionRecord, name?: string): Promise<void> {
    const { kv } = this.ctx.storage;
    if (!kv.get<SessionRecord>(RECORD)) {
      await this.#writeTemplate();
      // Last, because it says that everything else is there.
      kv.put(RECORD, record);
    }
    const session = await this.#open();
    if (name !== undefined && session?.getName() === undefined) await session?.setName(name);
    // An anonymous session expires even if it is never used.
    if (session && record.countedIn !== undefined) await this.#watch(session);
  }

  /** Stops the session and deletes everything it has. Resolves to its record; `undefined` when there is none. */
  async destroy(): Promise<SessionRecord | undefined> {
    const record = this.ctx.storage.kv.get<SessionRecord>(RECORD);
    if (!record) return undefined;
    // An unopened or unopenable session runs nothing that must be stopped.
    const session = await this.#opening?.catch(() => undefined);
    await session?.shutdown({ reason: "deleted" });
    this.#opening = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    return record;
  }

  /**
   * The watchdog. Rings while a turn runs; in an isolate that was just started it finds that turn cut, and opening the
   * session goes on with it and with the prompts behind it, or leaves it waiting for its approval.
   */
  override async alarm(): Promise<void> {
    const expiresAt = this.ctx.storage.kv.get<number>(EXPIRES_AT);
    if (expiresAt !== undefined && Date.now() >= expiresAt) return this.#expire();
    const session = await this.#open();
    if (session) await this.#watch(session);
  }

  async #setWatchdog(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + readMilliseconds(this.env, "WATCHDOG_SECONDS"));
  }

  /** Makes room for other anonymous callers: this one's token may never be used again. */
  async #expire(): Promise<void> {
    const record = await this.destroy();
    if (!record) return;
    const { DIRECTORIES } = this.env;
    for (const name of [record.owner, record.countedIn]) {
      if (name !== undefined) await DIRECTORIES.get(DIRECTORIES.idFromName(name)).remove(record.id);
    }
  }

  async #open(): Promise<InteractiveSession | undefined> {
    const record = this.ctx.storage.kv.get<SessionRecord>(RECORD);
    if (!record) return undefined;
    this.#opening ??= this.#load(record).catch((error: unknown) => {
      this.#opening = undefined;
      throw error instanceof ConfigurationError ? notConfigured(error) : error;
    });
    return this.#opening;
  }

  async #load(record: SessionRecord): Promise<InteractiveSession> {
    const settings = await readOperatorSettings(this.env);
    const { id: sessionId, owner, permissionMode = settings.permissionMode } = record;
    const provider = await chooseProvider(this.env, owner, settings.model);
    // No variables: the worker reads its own.
    const platform = edgePlatform(this.ctx, this.env, {
      scripts: { wasm: quickjs },
      // The person's layer of every session is the operator's: no file of a session counts as it.
      userSettings: settings.userSettings,
      fetch: isAnonymousOwner(ANONYMOUS, owner) ? refuseNetwork : undefined,
    });
    const session = new InteractiveSession({
      platform,
      provider: countedProvider(
        provider,
        countingDirectory(this.env.DIRECTORIES, record),
        settings.usage,
      ),
      cwd: WORKSPACE,
      sessionId,
      permissionMode,
      permissions: { deny: settings.deniedTools },
      maxTurns: settings.maxTurns,
      onInterruptedTurn: "continue",
      // Before the turn is recorded, and so before any effect of it.
      plugins: [{ name: "watchdog", category: "custom", beforeRun: () => this.#setWatchdog() }],
    });
    session.on("event", ({ type }) => {
      if (type === "turn_start") this.#hasTurn = true;
      if (type === "turn_end") this.#hasTurn = false;
      if (NEWS.has(type)) this.ctx.waitUntil(this.#watch(session).catch(reportError));
    });
    await session.ready;
    this.#hasTurn = session.isExecuting();
    // The sockets of an object that slept are still open.
    for (const socket of this.ctx.getWebSockets()) this.#sockets.resume(socket);
    return session;
  }

  /** Keeps the watchdog set while a turn runs, and the owner's list up to date. */
  async #watch(session: InteractiveSession): Promise<void> {
    const record = this.ctx.storage.kv.get<SessionRecord>(RECORD);
    if (!record) return;
    const isWaiting = session.pendingPermissions().length > 0;
    const hasNext = session.getQueue().length > 0 && !session.queue.isPaused();
    const isRunning = !isWaiting && (this.#hasTurn || hasNext);
    if (isRunning) {
      this.ctx.storage.kv.delete(EXPIRES_AT);
      await this.#setWatchdog();
    }
    const messages = session.getMessages();
    const [first] = messages;
    const name = session.getName();
    const summary: SessionSummary = {
      id: record.id,
      name,
      cwd: WORKSPACE,
      createdAt: record.createdAt,
      updatedAt: new Date().toISOString(),
      preview: first ? contentText(first.content).slice(0, 120) : "",
      messageCount: messages.length,
      state: isWaiting ? "waiting" : isRunning ? "open" : "idle",
      handedOverTo: session.handedOverTo,
    };
    const { DIRECTORIES } = this.env;
    await DIRECTORIES.get(DIRECTORIES.idFromName(record.owner)).update(summary);
    // Last: until then, the watchdog brings the list up to date after a crash. Meanwhile, another turn may have begun.
    const waitsStill = session.pendingPermissions().length > 0;
    if (waitsStill || !session.isExecuting()) await this.#rest(record);
  }

  /** Clears the watchdog; a session of an anonymous caller gets a time to expire instead. */
  async #rest({ countedIn }: SessionRecord): Promise<void> {
    const { storage } = this.ctx;
    if (countedIn === undefined) return storage.deleteAlarm();
    const expiresAt = Date.now() + readMilliseconds(this.env, "ANONYMOUS_SECONDS");
    storage.kv.put(EXPIRES_AT, expiresAt);
    await storage.setAlarm(expiresAt);
  }

  async #writeTemplate(): Promise<void> {
    const { fs } = edgePlatform(this.ctx);
    const { template } = await readOperatorSettings(this.env);
    await fs.mkdir(WORKSPACE, { recursive: true });
    for (const [path, content] of Object.entries(template)) {
      const file = `${WORKSPACE}/${path}`;
      await fs.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      await fs.writeFile(file, content);
    }
  }
}

/** Events after which the session's summary has changed, or the watchdog must be set or cleared. */
const NEWS: ReadonlySet<string> = new Set([
  "turn_start",
  "turn_resume",
  "turn_end",
  "permission_request",
  "permission_decision",
  "name_change",
]);

/** Anonymous sessions have no network: neither their tools nor hooks from any source. */
const refuseNetwork: typeof globalThis.fetch = () =>
  Promise.reject(
    new ConfigurationError("Sessions of anonymous callers have no network", {
      hint: "Use a token of API_TOKEN or API_TOKENS.",
    }),
  );

/** Reports to the worker's log. */
function reportError(error: unknown): void {
  console.error(error);
}
