import { edgePlatform } from "@robota/adapters-edge";
import quickjs from "@robota/runtime/quickjs.wasm";
import {
  ConfigurationError,
  contentText,
  InteractiveSession,
  type PermissionMode,
} from "@robota/runtime";
import { sampleProject } from "@robota/runtime/providers/offline";
import { sessionRoutes, type SessionSummary } from "@robota/runtime/transports";
import { DurableObject } from "cloudflare:workers";
import { ANONYMOUS, type Environment } from "./environment.ts";
import { chooseProvider } from "./provider.ts";

/** What an object has to know of its session beside the session's own log. */
export interface SessionRecord {
  id: string;
  owner: string;
  /** ISO 8601. */
  createdAt: string;
  permissionMode?: PermissionMode;
}

const RECORD = "session";
const WORKSPACE = "/workspace";
const WATCHDOG_SECONDS = 30;

/**
 * One session: its files, its log, and the turn that runs. Everything is rebuilt from the log when the object wakes, so
 * an isolate may die at any time; who may talk to the object was decided before a request gets here.
 */
export class SessionObject extends DurableObject<Environment> {
  readonly #routes = sessionRoutes(() => this.#open());
  #opening: Promise<InteractiveSession> | undefined;
  /** Whether a turn is open: running, or waiting for an approval. */
  #hasTurn = false;

  override async fetch(request: Request): Promise<Response> {
    return this.#routes.fetch(request);
  }

  /** Makes the session with a small project to work on; does nothing when it was made before. */
  async create(record: SessionRecord, name?: string): Promise<void> {
    const { kv } = this.ctx.storage;
    if (!kv.get<SessionRecord>(RECORD)) {
      await this.#writeSampleProject();
      // Last, because it says that everything else is there.
      kv.put(RECORD, record);
    }
    const session = await this.#open();
    if (name !== undefined && session?.getName() === undefined) await session?.setName(name);
  }

  /** Stops the session and removes all it has; `false` when there is none. */
  async destroy(): Promise<boolean> {
    if (!this.ctx.storage.kv.get(RECORD)) return false;
    // One that was not opened, or can't be, runs nothing that would have to be stopped.
    const session = await this.#opening?.catch(() => undefined);
    await session?.shutdown({ reason: "deleted" });
    this.#opening = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    return true;
  }

  /**
   * The watchdog. Rings while a turn runs; in an isolate that was just started it finds that turn cut, and opening the
   * session closes it, or leaves it waiting for its approval.
   */
  override async alarm(): Promise<void> {
    const session = await this.#open();
    if (session) await this.#watch(session);
  }

  async #open(): Promise<InteractiveSession | undefined> {
    const record = this.ctx.storage.kv.get<SessionRecord>(RECORD);
    if (!record) return undefined;
    this.#opening ??= this.#load(record).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #load(record: SessionRecord): Promise<InteractiveSession> {
    const { id: sessionId, owner, permissionMode = "default" } = record;
    // Nobody's variables: what the worker itself needs is read by the worker.
    const platform = edgePlatform(this.ctx, this.env, {
      scripts: { wasm: quickjs },
      ...(owner === ANONYMOUS && { fetch: refuseNetwork }),
    });
    const session = new InteractiveSession({
      platform,
      provider: await chooseProvider(this.env, owner),
      cwd: WORKSPACE,
      sessionId,
      permissionMode,
    });
    await session.ready;
    this.#hasTurn = session.isExecuting();
    session.on("event", ({ type }) => {
      if (type === "turn_start") this.#hasTurn = true;
      if (type === "turn_end") this.#hasTurn = false;
      if (NEWS.has(type)) this.ctx.waitUntil(this.#watch(session).catch(reportError));
    });
    return session;
  }

  /** Keeps the watchdog set while a turn runs, and the owner's list up to date. */
  async #watch(session: InteractiveSession): Promise<void> {
    const record = this.ctx.storage.kv.get<SessionRecord>(RECORD);
    if (!record) return;
    const isWaiting = session.pendingPermissions().length > 0;
    const isRunning = this.#hasTurn && !isWaiting;
    const seconds = Number(this.env.WATCHDOG_SECONDS ?? WATCHDOG_SECONDS);
    if (isRunning) await this.ctx.storage.setAlarm(Date.now() + seconds * 1000);
    else await this.ctx.storage.deleteAlarm();
    const messages = session.getMessages();
    const [first] = messages;
    const name = session.getName();
    const summary: SessionSummary = {
      id: record.id,
      ...(name === undefined ? {} : { name }),
      cwd: WORKSPACE,
      createdAt: record.createdAt,
      updatedAt: new Date().toISOString(),
      preview: first ? contentText(first.content).slice(0, 120) : "",
      messageCount: messages.length,
      state: isWaiting ? "waiting" : isRunning ? "open" : "idle",
    };
    const { DIRECTORIES } = this.env;
    await DIRECTORIES.get(DIRECTORIES.idFromName(record.owner)).update(summary);
  }

  async #writeSampleProject(): Promise<void> {
    const { fs } = edgePlatform(this.ctx);
    for (const [path, content] of Object.entries(sampleProject.files)) {
      const file = `${WORKSPACE}/${path}`;
      await fs.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      await fs.writeFile(file, content);
    }
  }
}

/** After these events a list shows something else, or the watchdog has to be set or taken away. */
const NEWS: ReadonlySet<string> = new Set([
  "turn_start",
  "turn_end",
  "permission_request",
  "permission_decision",
  "name_change",
]);

/** Strangers send nothing from here: neither their tools nor a hook, whoever has set it. */
const refuseNetwork: typeof globalThis.fetch = () =>
  Promise.reject(
    new ConfigurationError("Sessions of anonymous callers have no network", {
      hint: "Use a token of API_TOKEN or API_TOKENS.",
    }),
  );

/** To the worker's log. */
function reportError(error: unknown): void {
  console.error(error);
}
