import { createCell, type Readable, runningTurn, sessionStore } from "@robota/react/store";
import type { InteractiveSession, SessionEvent } from "@robota/runtime";
import type { SessionHeader } from "@robota/runtime/sessions";
import type { AgentHost } from "../agent-host.ts";
import { DEFAULT_WORKSPACE, workspaceId } from "./current-workspace.ts";
import { readStored, writeDraft, writeStored } from "./preferences.ts";

const CURRENT_KEY =
  workspaceId === DEFAULT_WORKSPACE
    ? "robota.current-session"
    : `robota.current-session.${workspaceId}`;
/** Milliseconds in which a deletion can be undone. */
const UNDO_MS = 8000;

const REFRESH_MS = 150;
const FILES_MS = 60;
/** Events that change the list of sessions. */
const listed: readonly SessionEvent["type"][] = ["turn_start", "turn_end", "name_change"];

/** One attempt to open a session. */
interface Opening {
  /** Distinguishes attempts; kept after opening, and with it the text typed meanwhile. */
  opening: number;
  opened: Promise<InteractiveSession>;
}

export type WorkspacePhase =
  /** Opens a new session when `sessionId` is undefined. */
  | ({ kind: "opening"; sessionId: string | undefined } & Opening)
  | ({ kind: "ready"; session: InteractiveSession } & Opening)
  /** The session can't be opened; `sessionId` is the one that was tried. */
  | { kind: "failed"; error: Error; sessionId: string | undefined };

/** The present activity of a session. */
export type Activity = "running" | "waiting";

/** A deletion that can still be undone. */
export interface Deletion {
  id: string;
  title: string;
}

/** The page: which session is open, which others there are, and when files may have changed. */
export class PageState {
  readonly #createHost: () => Promise<AgentHost>;
  readonly #host = createCell<AgentHost | undefined>(undefined);
  readonly #phase = createCell<WorkspacePhase>({
    kind: "opening",
    opening: 0,
    opened: new Promise(() => undefined),
    sessionId: undefined,
  });
  readonly #sessions = createCell<readonly SessionHeader[]>([]);
  readonly #deletion = createCell<Deletion | undefined>(undefined);
  readonly #filesRevision = createCell(0);
  readonly #problem = createCell("");
  readonly #activity = createCell<ReadonlyMap<string, Activity>>(new Map());
  /** Sessions that went on working when another one was opened. */
  readonly #background = new Map<string, InteractiveSession>();
  #deletionTimer: ReturnType<typeof setTimeout> | undefined;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  /** The newest wish wins when a person clicks faster than sessions open. */
  #opening = 0;

  constructor(createHost: () => Promise<AgentHost>) {
    this.#createHost = createHost;
  }

  get host(): Readable<AgentHost | undefined> {
    return this.#host;
  }

  get phase(): Readable<WorkspacePhase> {
    return this.#phase;
  }

  /** Sessions, newest first, without those being deleted. */
  get sessions(): Readable<readonly SessionHeader[]> {
    return this.#sessions;
  }

  get deletion(): Readable<Deletion | undefined> {
    return this.#deletion;
  }

  /** Increases whenever files may have changed. */
  get filesRevision(): Readable<number> {
    return this.#filesRevision;
  }

  /** The sessions of this page that are not idle. */
  get activity(): Readable<ReadonlyMap<string, Activity>> {
    return this.#activity;
  }

  /** The last problem, for a person; empty without one. */
  get problem(): Readable<string> {
    return this.#problem;
  }

  reportProblem(error: unknown): void {
    this.#problem.set(error instanceof Error ? error.message : String(error));
  }

  dismissProblem(): void {
    this.#problem.set("");
  }

  /** Opens the session that the address names, else the last one, else a new one. */
  async start(): Promise<void> {
    addEventListener("hashchange", () => {
      const wanted = sessionInAddress();
      if (wanted && wanted !== this.#currentId()) void this.open(wanted);
    });
    const last = readStored(CURRENT_KEY);
    await this.open(sessionInAddress() ?? (typeof last === "string" ? last : undefined));
  }

  /**
   * Makes `id` the current session; without it, a new one. The previous one continues in the background while busy.
   * @param options.takeOver takes it over from the tab that holds it
   */
  async open(id?: string, options: { takeOver?: boolean } = {}): Promise<void> {
    const opening = ++this.#opening;
    const former = this.#phase.get();
    const { promise: opened, resolve, reject } = Promise.withResolvers<InteractiveSession>();
    // Rejections reach those who await it; nobody has to.
    opened.catch(() => undefined);
    this.#phase.set({ kind: "opening", opening, opened, sessionId: id });
    try {
      if (former.kind === "ready") await this.#leave(former.session);
      const host = this.#host.get() ?? (await this.#start());
      const session = (id && this.#background.get(id)) || (await this.#connect(host, id, options));
      if (opening !== this.#opening) {
        await this.#leave(session);
        throw new Error("Another session was opened instead");
      }
      this.#background.delete(session.sessionId);
      this.#phase.set({ kind: "ready", opening, opened, session });
      resolve(session);
      this.#remember(id);
      await this.refreshSessions();
    } catch (cause) {
      reject(cause);
      if (opening !== this.#opening) return;
      const error = cause instanceof Error ? cause : new Error(String(cause));
      this.#phase.set({ kind: "failed", error, sessionId: id });
    }
  }

  /** Gives sessions and files back, so that other tabs and workspaces can have them. The page is to be left then. */
  async close(): Promise<void> {
    this.#opening += 1;
    await this.#finishDeletion();
    const phase = this.#phase.get();
    const current = phase.kind === "ready" ? [phase.session] : [];
    await Promise.all([...current, ...this.#background.values()].map(close));
    const host = this.#host.get();
    this.#host.set(undefined);
    await host?.close();
  }

  async rename(id: string, name: string): Promise<void> {
    const open = this.#find(id);
    if (open) await open.setName(name);
    else await this.#host.get()?.renameSession(id, name);
    await this.refreshSessions();
  }

  /** Takes a session off the list; after `UNDO_MS` it is gone for good. */
  async remove(header: SessionHeader, title: string): Promise<void> {
    await this.#finishDeletion();
    this.#deletion.set({ id: header.id, title });
    this.#deletionTimer = setTimeout(() => void this.#finishDeletion(), UNDO_MS);
    await this.refreshSessions();
    if (header.id === this.#currentId()) await this.open(this.#sessions.get()[0]?.id);
  }

  async undoRemove(): Promise<void> {
    clearTimeout(this.#deletionTimer);
    this.#deletion.set(undefined);
    await this.refreshSessions();
  }

  async refreshSessions(): Promise<void> {
    const all = (await this.#host.get()?.listSessions()) ?? [];
    const deleted = this.#deletion.get()?.id;
    this.#sessions.set(all.filter(({ id }) => id !== deleted));
  }

  async #finishDeletion(): Promise<void> {
    const deletion = this.#deletion.get();
    if (!deletion) return;
    clearTimeout(this.#deletionTimer);
    const open = this.#background.get(deletion.id);
    if (open) await close(open);
    this.#background.delete(deletion.id);
    await this.#host.get()?.deleteSession(deletion.id);
    writeDraft(deletion.id, "");
    if (this.#deletion.get()?.id === deletion.id) this.#deletion.set(undefined);
  }

  async #start(): Promise<AgentHost> {
    const host = await this.#createHost();
    let isNoted = false;
    host.watchFiles(() => {
      if (isNoted) return;
      isNoted = true;
      // A command may change a thousand files; one reload is enough.
      setTimeout(() => {
        isNoted = false;
        this.#filesRevision.set(this.#filesRevision.get() + 1);
      }, FILES_MS);
    });
    this.#host.set(host);
    void this.#reportLoss(host);
    return host;
  }

  /** Vanished files must not be replaced by new ones silently. */
  async #reportLoss(host: AgentHost): Promise<void> {
    const since = await host.lostSince().catch(() => undefined);
    if (since === undefined) return;
    const day = new Date(since).toLocaleDateString();
    this.reportProblem(
      `The browser has cleared this workspace, which was made on ${day}. If you have saved a zip of it, import it under Workspaces.`,
    );
  }

  async #connect(
    host: AgentHost,
    id: string | undefined,
    options: { takeOver?: boolean },
  ): Promise<InteractiveSession> {
    const session = await host.openSession(id, options);
    // Until the session is closed, so that the list shows what goes on in the background.
    sessionStore(session).onEvents((events) => this.#notice(session, events));
    return session;
  }

  async #leave(session: InteractiveSession): Promise<void> {
    const isBusy =
      session.isExecuting() ||
      session.pendingPermissions().length > 0 ||
      sessionStore(session).get().agents.length > 0;
    if (isBusy) this.#background.set(session.sessionId, session);
    else await close(session);
  }

  #notice(session: InteractiveSession, events: readonly SessionEvent[]): void {
    const types = new Set(events.map((event) => event.type));
    if (types.has("turn_start") && session.sessionId === this.#currentId())
      this.#remember(session.sessionId);
    this.#noticeActivity(session);
    if (listed.some((type) => types.has(type))) {
      // The list's entry of a session is written shortly after the event that changes it.
      clearTimeout(this.#refreshTimer);
      this.#refreshTimer = setTimeout(() => void this.refreshSessions(), REFRESH_MS);
    }
  }

  #noticeActivity(session: InteractiveSession): void {
    const view = sessionStore(session).get();
    const activity =
      view.requests.length > 0
        ? "waiting"
        : runningTurn(view) || view.agents.length > 0
          ? "running"
          : undefined;
    const before = this.#activity.get();
    if (before.get(session.sessionId) === activity) return;
    const next = new Map(before);
    if (activity) next.set(session.sessionId, activity);
    else next.delete(session.sessionId);
    this.#activity.set(next);
  }

  #currentId(): string | undefined {
    const phase = this.#phase.get();
    return phase.kind === "ready" ? phase.session.sessionId : undefined;
  }

  #find(id: string): InteractiveSession | undefined {
    const phase = this.#phase.get();
    if (phase.kind === "ready" && phase.session.sessionId === id) return phase.session;
    return this.#background.get(id);
  }

  /** Stores the session that a reload opens. An empty session gets no address. */
  #remember(id: string | undefined): void {
    writeStored(CURRENT_KEY, id);
    const address = id
      ? `#/sessions/${encodeURIComponent(id)}`
      : location.pathname + location.search;
    if (location.hash !== address) history.replaceState(null, "", address);
  }
}

/** Id of the draft of the session that is open or opening. An empty session is not kept, and its draft is that of the next new one. */
export function draftOf(phase: WorkspacePhase): string {
  if (phase.kind === "ready") return isNew(phase.session) ? "new" : phase.session.sessionId;
  return phase.sessionId ?? "new";
}

/** True when nothing was ever said in a session. */
export function isNew(session: InteractiveSession): boolean {
  return session.getFullHistory().length === 0;
}

/** Gives a session back, so that another tab can open it. */
function close(session: InteractiveSession): Promise<void> {
  return session.shutdown({ reason: "closed" });
}

function sessionInAddress(): string | undefined {
  const encoded = /^#\/sessions\/([^/]+)$/.exec(location.hash)?.[1];
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
