import {
  chat,
  InteractiveSession,
  type Platform,
  type Provider,
  type Storage,
} from "@robota/runtime";
import { streamEvents } from "@robota/runtime/providers";
import { readSessionHeader } from "@robota/runtime/sessions";
import type { AgentHost } from "./agent-host.ts";
import { savedConnections } from "./connections/connections.ts";
import { WORKSPACE_ROOT } from "./constants.ts";
import { noteArrival } from "./state/arrivals.ts";
import { ownSettingsNow } from "./state/preferences.ts";

/** Maximum number of prompts queued behind the running one. */
const QUEUE_LIMIT = 10;

/** Loaded with the first prompt. A page without connections needs no more. */
const generate: NonNullable<Provider["generate"]> = async (...request) =>
  (await import("./provider.ts")).answering.generate(...request);

const guide: Provider = {
  name: "offline",
  model: "script-1",
  generate,
  chat: (messages, options = {}) => chat(guide, messages, options),
  chatStream: (messages, options = {}) => streamEvents(generate, messages, options),
};

export interface OpenOptions {
  /** Takes the session from the tab that holds it. */
  takeOver?: boolean | undefined;
  /** Goes on with a turn that was cut. It ends otherwise. */
  continues?: boolean | undefined;
  /** Opens a fork of it instead, with its own copy of the files. */
  fork?: boolean;
  /** Called when another tab has held the session for a moment. Opening goes on, and fails if that tab keeps it. */
  onBusy?: () => void;
  /** Called with the session's id when another tab takes it over. */
  onLost?: (id: string) => void;
}

/** A reloading page lets go of its session sooner. In milliseconds. */
const BUSY_AFTER_MS = 300;

/** Opens a session on the page's platform, a stored one or a new one. @throws as `AgentHost.openSession` */
export async function openSession(
  platform: Platform,
  id?: string,
  { takeOver, fork, continues, ...watch }: OpenOptions = {},
): Promise<InteractiveSession> {
  const session = new InteractiveSession({
    platform: {
      ...platform,
      storage: watchingLeases(platform.storage, watch),
      userSettings: ownSettingsNow(),
    },
    ...(await providersOf(platform.storage, id)),
    cwd: WORKSPACE_ROOT,
    queueLimit: QUEUE_LIMIT,
    loadsRulesLater: true,
    resumeSessionId: id || undefined,
    forkSession: fork,
    takeOver,
    onInterruptedTurn: continues ? "continue" : "end",
  });
  await session.ready;
  if (takeOver) noteArrival(session.sessionId, "tab");
  return session;
}

/** The page's connections; the one that a stored session used last, first. */
async function providersOf(storage: Storage, id: string | undefined) {
  if (savedConnections().length === 0) return { provider: guide };
  const { sessionProviders } = await import("./connections/session-providers.ts");
  return sessionProviders(id ? await readSessionHeader(storage, id) : undefined);
}

/** A storage that tells what becomes of a session's lease. */
function watchingLeases(
  storage: Storage,
  { onBusy, onLost }: Pick<OpenOptions, "onBusy" | "onLost">,
): Storage {
  return {
    get: (key) => storage.get(key),
    set: (...value) => storage.set(...value),
    version: (key) => storage.version(key),
    delete: (key) => storage.delete(key),
    keys: (prefix) => storage.keys(prefix),
    append: (log, entries) => storage.append(log, entries),
    read: (log, from) => storage.read(log, from),
    deleteLog: (log) => storage.deleteLog(log),
    async acquire(name, options) {
      const sessionId = name.slice(name.indexOf("/") + 1);
      const stop = onBusy && whileWaiting(sessionId, onBusy);
      try {
        const lease = await storage.acquire(name, options);
        lease.lost.addEventListener("abort", () => onLost?.(sessionId));
        return lease;
      } finally {
        stop?.();
      }
    },
  };
}

/**
 * Calls `onBusy` once another tab has held the session for a moment; a busy browser may take as long to give a session that
 * nobody has. Returns the way to stop looking.
 */
function whileWaiting(sessionId: string, onBusy: () => void): () => void {
  let isWaiting = true;
  const stop = (): void => {
    isWaiting = false;
    clearInterval(timer);
  };
  const look = async (): Promise<void> => {
    // A holder may be this tab, before it knows: then nobody waits.
    const { pending = [] } = await navigator.locks.query();
    const isElsewhere = pending.some(({ name }) => name?.endsWith(`sessions/${sessionId}`));
    if (!isElsewhere || !isWaiting) return;
    stop();
    onBusy();
  };
  const timer = setInterval(() => void look().catch(stop), BUSY_AFTER_MS);
  return stop;
}

export { previewOf } from "./sessions/preview.ts";

/** Time for a page that was just left, as by a reload, to let go of its sessions. In milliseconds. */
const LEAVING_MS = 300;
const STEP_MS = 30;

/** Reports whether a stored session ends in the middle of a turn that nobody works on: its page was closed meanwhile. */
export async function wasCut(
  host: Pick<AgentHost, "storage" | "heldSessions">,
  id: string,
): Promise<boolean> {
  if ((await readSessionHeader(host.storage, id))?.state !== "open") return false;
  for (let waited = 0; waited < LEAVING_MS; waited += STEP_MS) {
    if (!(await host.heldSessions()).has(id)) return true;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  return false;
}
