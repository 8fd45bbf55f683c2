import { createCell, type Readable, sessionStore, watchedSession } from "@robota/react/store";
import type { InteractiveSession, SessionEvent } from "@robota/runtime";
import type { ClientSession, SessionHeader } from "@robota/runtime/sessions";
import type { AgentHost } from "../agent-host.ts";
import { Activities, type Activity } from "./activities.ts";
import { type HistoryStep, isLink, sessionInAddress, writeAddress } from "./address.ts";
import { DEFAULT_WORKSPACE, workspaceId } from "./current-workspace.ts";
import { type Deletion, PendingDeletion } from "./deletion.ts";
import { mayChangeCopy } from "./file-events.ts";
import { firstUse } from "./first-use.ts";
import { ListFollower } from "./list-follower.ts";
import { readStored, writeDraft, writeStored } from "./preferences.ts";
import { withTitles } from "../sessions/session-title.ts";
import { whenRead } from "./when-read.ts";
import type {
  Opening,
  OpenSessionOptions,
  WatchedSession,
  WorkspacePhase,
} from "./workspace-phase.ts";

const CURRENT_KEY =
  workspaceId === DEFAULT_WORKSPACE
    ? "robota.current-session"
    : `robota.current-session.${workspaceId}`;
const FILES_MS = 60;
/** A failure, for a person. */
export interface Problem {
  text: string;
  /** True when there is no room to store anything. */
  isFull: boolean;
}

/** The page: which session is open, which others there are, and when files may have changed. */
export class PageState {
  readonly #createHost: () => Promise<AgentHost>;
  readonly #host = createCell<AgentHost | undefined>(undefined);
  #starting: Promise<AgentHost> | undefined;
  readonly #phase = createCell<WorkspacePhase>({
    kind: "opening",
    opening: 0,
    opened: new Promise(() => undefined),
    sessionId: undefined,
  });
  readonly #sessions = createCell<readonly SessionHeader[]>([]);
  readonly #elsewhere = createCell<ReadonlySet<string>>(new Set());
  readonly #deletion = new PendingDeletion((id) =>
    // Another tab may have opened it meanwhile.
    this.#delete(id).catch((error) => this.reportProblem(error)),
  );
  readonly #otherTabs = new BroadcastChannel(`robota-page:${workspaceId}`);
  readonly #filesRevision = createCell(0);
  readonly #problem = createCell<Problem | undefined>(undefined);
  readonly #activities = new Activities();
  readonly #list = new ListFollower({
    refresh: async () => {
      await this.refreshSessions();
      return this.#sessions.get();
    },
    onCaughtUp: () => this.#otherTabs.postMessage("sessions"),
  });
  /** Sessions that went on working when another one was opened. */
  readonly #background = new Map<string, InteractiveSession>();
  #filesTimer: ReturnType<typeof setTimeout> | undefined;
  #refresh = 0;
  /** The newest wish wins when a person clicks faster than sessions open. */
  #opening = 0;

  constructor(createHost: () => Promise<AgentHost>) {
    this.#createHost = createHost;
  }

  get host(): Readable<AgentHost | undefined> {
    return this.#host;
  }

  /** The host. What a person starts before it is there waits for it. */
  whenHost(): Promise<AgentHost> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  get phase(): Readable<WorkspacePhase> {
    return this.#phase;
  }

  /** Sessions, newest first, without those being deleted. */
  get sessions(): Readable<readonly SessionHeader[]> {
    return this.#sessions;
  }

  get deletion(): Readable<Deletion | undefined> {
    return this.#deletion.pending;
  }

  /** Ids of the sessions that other tabs have open. */
  get elsewhere(): Readable<ReadonlySet<string>> {
    return this.#elsewhere;
  }

  /** Increases whenever files may have changed. */
  get filesRevision(): Readable<number> {
    return this.#filesRevision;
  }

  /** The sessions of this page that are not idle. */
  get activity(): Readable<ReadonlyMap<string, Activity>> {
    return this.#activities.bySession;
  }

  /** The last problem; `undefined` without one. */
  get problem(): Readable<Problem | undefined> {
    return this.#problem;
  }

  /** Notes that files may have changed. */
  noteFiles(): void {
    // A command may change a thousand files; one reload is enough.
    if (this.#filesTimer) return;
    this.#filesTimer = setTimeout(() => {
      this.#filesTimer = undefined;
      this.#filesRevision.set(this.#filesRevision.get() + 1);
    }, FILES_MS);
  }

  /** The words of an error, with titles of sessions in place of their ids. */
  wordsOf(error: unknown): string {
    return withTitles(error instanceof Error ? error.message : String(error), this.#sessions.get());
  }

  reportProblem(error: unknown): void {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    this.#problem.set({ text: this.wordsOf(error), isFull: code === "FULL" || code === "ENOSPC" });
  }

  dismissProblem(): void {
    this.#problem.set(undefined);
  }

  /** Opens the session that the address names, else the last one unless another tab has it, else a new one. */
  async start(): Promise<void> {
    addEventListener("popstate", () => {
      const wanted = sessionInAddress();
      const { server } = this.#phase.get() as { server?: string };
      if (isLink() || (wanted?.id === this.#currentId() && wanted?.server === server)) return;
      if (wanted?.server) void this.openRemote(wanted.server, wanted.id, "none");
      else void this.open(wanted?.id, { history: "none" });
    });
    this.#otherTabs.addEventListener("message", () => this.#list.refreshSoon());
    this.#deletion.pending.subscribe(() => void this.refreshSessions());
    this.#deletion.restore();
    const named = sessionInAddress();
    const last = readStored(CURRENT_KEY);
    const deleted = this.#deletion.pending.get()?.id;
    if (named?.server) await this.openRemote(named.server, named.id, "replace");
    else if (named) await this.open(named.id, { history: "replace" });
    else if (typeof last !== "string" || last === deleted)
      await this.open(undefined, { history: "replace", when: firstUse() });
    else await this.open(last, { elseNew: true, history: "replace" });
  }

  /**
   * Makes `id` the current session; without it, a new one. The previous one continues in the background while busy.
   * While another tab holds it, it is shown as that one writes it.
   */
  open(id?: string, options: OpenSessionOptions = {}): Promise<void> {
    return this.#show({ sessionId: id }, async (attempt) => {
      const host = await this.whenHost();
      if (options.when) {
        await this.refreshSessions();
        await options.when;
        if (attempt.opening !== this.#opening) throw superseded();
      }
      const onBusy = () => this.#busy(host, { ...attempt, sessionId: id }, options);
      const background = id && this.#background.get(id);
      const previewed = id && !background ? this.#preview(host, id, attempt, options) : undefined;
      if (id && !background && !options.cut && !options.takeOver && (await isCut(host, id))) {
        if (attempt.opening === this.#opening)
          this.#watch(host, attempt, { id, reason: "cut", history: options.history });
        throw superseded();
      }
      const session = background || (await this.#connect(host, id, options, onBusy));
      const isKept = !(await previewed) || (await this.#read(session));
      if (attempt.opening !== this.#opening) {
        if (isKept) await this.#leave(session);
        throw superseded();
      }
      if (!isKept) {
        this.#watch(host, attempt, { id: session.sessionId, reason: "lost", history: "none" });
        throw superseded();
      }
      this.#background.delete(session.sessionId);
      this.#phase.set({ kind: "ready", ...attempt, session });
      this.#remember(id, options.history ?? "push");
      return session;
    });
  }

  /** Makes a session on a server the current one; without an id, a new one. */
  openRemote(server: string, id?: string, history: HistoryStep = "push"): Promise<void> {
    return this.#show({ sessionId: id, server }, async (attempt) => {
      await this.whenHost();
      const { openRemote } = await import("../remote/open-remote.ts");
      const session = await openRemote(server, id, () => this.noteFiles());
      if (attempt.opening !== this.#opening) {
        await session.shutdown();
        throw superseded();
      }
      this.#phase.set({ kind: "remote", ...attempt, session, server });
      writeAddress({ id: session.sessionId, server }, history);
      return session;
    });
  }

  /** Leaves the current session for the one that `enter` makes the current one. */
  async #show(
    asked: { sessionId: string | undefined; server?: string },
    enter: (attempt: Opening) => Promise<ClientSession>,
  ): Promise<void> {
    const opening = ++this.#opening;
    const former = this.#phase.get();
    const { promise: opened, resolve, reject } = Promise.withResolvers<ClientSession>();
    // Rejections reach those who await it; nobody has to.
    opened.catch(() => undefined);
    this.#phase.set({ kind: "opening", opening, opened, ...asked });
    try {
      if (former.kind === "ready") await this.#leave(former.session);
      if (former.kind === "remote") await former.session.shutdown();
      resolve(await enter({ opening, opened }));
    } catch (cause) {
      reject(cause);
      if (opening !== this.#opening || this.#phase.get().kind === "watching") return;
      const error = cause instanceof Error ? cause : new Error(String(cause));
      this.#phase.set({ kind: "failed", error, ...asked });
    } finally {
      await this.refreshSessions();
    }
  }

  /** The session, if this page has it open. */
  openedHere(id: string): InteractiveSession | undefined {
    return this.#find(id);
  }

  /** Closes a session that this page has open. Another one is to be opened then, if it is the current one. */
  async release(id: string): Promise<void> {
    const session = this.#find(id);
    if (!session) return;
    this.#background.delete(id);
    this.#activities.forget(id);
    const phase = this.#phase.get();
    if (phase.kind === "ready" && phase.session === session) {
      const { opened } = phase;
      this.#phase.set({ kind: "opening", opening: ++this.#opening, opened, sessionId: id });
    }
    await close(session);
  }

  /** Gives sessions and files back, so that other tabs and workspaces can have them. The page is to be left then. */
  async close(): Promise<void> {
    this.#opening += 1;
    await this.#deletion.finish();
    const phase = this.#phase.get();
    const current = phase.kind === "ready" ? [phase.session] : [];
    if (phase.kind === "remote") await phase.session.shutdown();
    await Promise.all([...current, ...this.#background.values()].map(close));
    const host = this.#host.get();
    this.#host.set(undefined);
    this.#starting = undefined;
    await host?.close();
  }

  async rename(id: string, name: string): Promise<void> {
    const open = this.#find(id);
    if (open) await open.setName(name);
    else await (await this.whenHost()).renameSession(id, name);
    await this.refreshSessions();
  }

  /** Takes a session off the list; shortly after it is gone for good. */
  async remove(header: SessionHeader, title: string): Promise<void> {
    await this.#deletion.begin(header.id, title);
    await this.refreshSessions();
    if (header.id === this.#currentId() && this.#phase.get().kind !== "remote")
      await this.open(this.#sessions.get()[0]?.id, { elseNew: true, history: "replace" });
  }

  async undoRemove(): Promise<void> {
    this.#deletion.undo();
    await this.refreshSessions();
  }

  async refreshSessions(): Promise<void> {
    const host = this.#host.get();
    if (!host) return;
    const refresh = ++this.#refresh;
    const [all, held] = await Promise.all([host.listSessions(), host.heldSessions()]);
    // A slower one must not bring an older list back.
    if (refresh !== this.#refresh) return;
    const deleted = this.#deletion.pending.get()?.id;
    const sessions = all.filter(({ id }) => id !== deleted);
    const elsewhere = sessions.filter(({ id }) => held.has(id) && !this.#find(id));
    this.#sessions.set(sessions);
    this.#elsewhere.set(new Set(elsewhere.map(({ id }) => id)));
    // Another tab goes on with the turn.
    const phase = this.#phase.get();
    if (phase.kind === "watching" && phase.reason === "cut" && held.has(phase.session.sessionId))
      this.#phase.set({ ...phase, reason: "elsewhere" });
  }

  async #delete(id: string): Promise<void> {
    await this.#background.get(id)?.shutdown({ reason: "closed" });
    this.#background.delete(id);
    await (await this.whenHost()).deleteSession(id);
    writeDraft(id, "");
    this.#list.forget(id);
    this.#otherTabs.postMessage("sessions");
  }

  /** Shows the end of a conversation while its session opens. Resolves to whether there is one to be shown. */
  async #preview(
    host: AgentHost,
    id: string,
    { opening }: Opening,
    { history = "push" }: OpenSessionOptions,
  ): Promise<boolean> {
    const { previewOf } = await import("../open-session.ts");
    // Whatever is wrong with the session, opening it reports.
    const preview = await previewOf(host, id).catch(() => undefined);
    const phase = this.#phase.get();
    if (!preview || opening !== this.#opening || phase.kind !== "opening") return false;
    this.#phase.set({ ...phase, preview });
    this.#remember(id, history);
    return true;
  }

  /** Reads all that is stored of an opened session. Resolves to false when it has gone to another tab or attempt meanwhile. */
  async #read(session: InteractiveSession): Promise<boolean> {
    this.#background.set(session.sessionId, session);
    await whenRead(session);
    return this.#background.delete(session.sessionId);
  }

  /** Another tab holds the session that is being opened. */
  #busy(
    host: AgentHost,
    { opening, opened, sessionId }: Opening & { sessionId: string | undefined },
    { elseNew, history = "push" }: OpenSessionOptions,
  ): void {
    if (opening !== this.#opening || sessionId === undefined) return;
    if (elseNew) return void this.open(undefined, { history });
    this.#watch(host, { opening, opened }, { id: sessionId, reason: "elsewhere", history });
  }

  /** Shows a session as it is stored. */
  #watch(
    host: AgentHost,
    attempt: Opening,
    { id, reason, history = "push" }: WatchedSession,
  ): void {
    const session = watchedSession(host.storage, id);
    this.#phase.set({ kind: "watching", ...attempt, session, reason });
    this.#remember(id, history);
  }

  /** Another tab has taken a session from this one. */
  async #lost(host: AgentHost, id: string): Promise<void> {
    const phase = this.#phase.get();
    const session = this.#find(id);
    if (!session) return;
    this.#background.delete(id);
    this.#activities.forget(id);
    if (phase.kind === "ready" && phase.session === session) {
      const { opening, opened } = phase;
      this.#watch(host, { opening, opened }, { id, reason: "lost", history: "none" });
    }
    // It can't write any more, so there is nothing to lose.
    await close(session).catch(() => undefined);
    await this.refreshSessions();
  }

  async #start(): Promise<AgentHost> {
    const host = await this.#createHost();
    host.watchFiles(() => this.noteFiles());
    this.#host.set(host);
    if (host.isKept) void this.#reportLoss(host);
    else
      this.reportProblem(
        "This browser stores nothing for this page, as in some private windows. Everything here ends with the page.",
      );
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
    { takeOver, cut }: OpenSessionOptions,
    onBusy: () => void,
  ): Promise<InteractiveSession> {
    const session = await host.openSession(id, {
      takeOver,
      continues: cut === "continue",
      onBusy,
      onLost: (lost) => void this.#lost(host, lost),
    });
    this.#otherTabs.postMessage("sessions");
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
    this.#otherTabs.postMessage("sessions");
  }

  #notice(session: InteractiveSession, events: readonly SessionEvent[]): void {
    const types = new Set(events.map((event) => event.type));
    const phase = this.#phase.get();
    const isStored = types.has("turn_start") || types.has("name_change");
    if (isStored && phase.kind === "ready" && phase.session === session)
      this.#remember(session.sessionId, "replace");
    this.#activities.note(session);
    if (mayChangeCopy(session, events)) this.noteFiles();
    if (this.#list.note(session.sessionId, events)) this.#otherTabs.postMessage("sessions");
  }

  #currentId(): string | undefined {
    const phase = this.#phase.get();
    if (phase.kind === "ready" && isNew(phase.session)) return undefined;
    return "session" in phase ? phase.session.sessionId : undefined;
  }

  #find(id: string): InteractiveSession | undefined {
    const phase = this.#phase.get();
    if (phase.kind === "ready" && phase.session.sessionId === id) return phase.session;
    return this.#background.get(id);
  }

  /** Stores the session that a reload opens. A new session gets no address. */
  #remember(id: string | undefined, step: HistoryStep): void {
    writeStored(CURRENT_KEY, id);
    writeAddress(id === undefined ? undefined : { id }, step);
  }
}

/** Id of the draft of the session that is open or opening. A new session is not kept, and its draft is that of the next new one. */
export function draftOf(phase: WorkspacePhase): string {
  if (phase.kind === "ready" && isNew(phase.session)) return "new";
  if ("session" in phase) return phase.session.sessionId;
  return phase.sessionId ?? "new";
}

/** As `wasCut`, whose code comes with that of sessions. */
async function isCut(host: AgentHost, id: string): Promise<boolean> {
  return (await import("../open-session.ts")).wasCut(host, id);
}

function superseded(): Error {
  return new Error("Another session was opened instead");
}

/** True for a session that nothing is stored of. A name alone stores one. */
export function isNew(session: InteractiveSession): boolean {
  return session.isEmpty && session.getName() === undefined;
}

/** Gives a session back, so that another tab can open it. */
function close(session: InteractiveSession): Promise<void> {
  return session.shutdown({ reason: "closed" });
}
