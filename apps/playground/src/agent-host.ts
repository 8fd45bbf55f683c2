import { browserPlatform, type Workspaces } from "@robota/adapters-web";
import {
  deleteSession,
  type FileSystem,
  FileSystemError,
  type InteractiveSession,
  listSessions,
  type Platform,
  type Shell,
  type Storage,
} from "@robota/runtime";
import { dirname } from "@robota/runtime/ports";
import { type SessionHeader } from "@robota/runtime/sessions";
import { sampleProject } from "@robota/runtime/providers/offline";
import { WORKSPACE_ROOT } from "./constants.ts";
import type { OpenOptions } from "./open-session.ts";
import { heldSessions } from "./sessions/held-sessions.ts";
import { DEFAULT_WORKSPACE, workspaceId } from "./state/current-workspace.ts";
import { readStored } from "./state/preferences.ts";

/** The page's agent: its files, and sessions on them. The rest of the page is user interface. */
export interface AgentHost {
  /** For work on stored sessions, such as an import. */
  readonly platform: Platform;
  readonly fs: FileSystem;
  /** Runs commands on `fs`. */
  readonly shell: Shell;
  readonly storage: Storage;
  /** All workspaces of this browser, including this one. */
  readonly workspaces: () => Promise<Workspaces>;
  /**
   * Time at which the workspace was created, in milliseconds since the epoch, if the browser has cleared its files
   * since.
   */
  lostSince: () => Promise<number | undefined>;
  /** False when the browser lets the page store nothing: all of it ends with the page. */
  readonly isKept: boolean;
  /** Calls `listener` after files have changed, in this tab or in another. Returns the way to stop. */
  watchFiles: (listener: () => void) => () => void;
  /**
   * Opens a stored session, or a new one.
   * @throws {SessionError} `SESSION_BUSY`, `NOT_FOUND`
   */
  openSession: (id?: string, options?: OpenOptions) => Promise<InteractiveSession>;
  listSessions: () => Promise<SessionHeader[]>;
  /** Ids of the sessions that some tab of this browser has open. */
  heldSessions: () => Promise<ReadonlySet<string>>;
  renameSession: (id: string, name: string) => Promise<void>;
  deleteSession: (id: string) => Promise<void>;
  close: () => Promise<void>;
}

/** The tab as an agent's host. The first visit gets the sample project. */
export async function createAgentHost(): Promise<AgentHost> {
  let list: Promise<Workspaces> | undefined;
  const workspaces = (): Promise<Workspaces> =>
    (list ??= import("./workspaces/open-list.ts").then(({ openList }) => openList()));
  const { platform, watchFiles, lostSince, isKept, close } = await openPlatform(workspaces);

  if (readStored("robota.compared"))
    await (await import("./compare/leftovers.ts")).deleteLeftovers(platform.storage);

  /** The code of sessions is loaded with the first one, which a page that is only looked at does without. */
  const openSession: AgentHost["openSession"] = async (...asked) =>
    (await import("./open-session.ts")).openSession(platform, ...asked);

  return {
    platform,
    fs: platform.fs,
    shell: platform.shell,
    storage: platform.storage,
    workspaces,
    lostSince,
    watchFiles,
    isKept,
    openSession,
    listSessions: () => listSessions(platform.storage),
    heldSessions,
    async renameSession(id, name) {
      const { renameStored } = await import("./sessions/rename-stored.ts");
      await renameStored(platform.storage, id, name);
    },
    deleteSession: (id) => deleteSession(platform.storage, id),
    async close() {
      await Promise.all([close(), list?.then((each) => each.dispose())]);
    },
  };
}

/** Opens the workspace's platform, with the sample project on the first visit. */
async function openPlatform(
  workspaces: () => Promise<Workspaces>,
): Promise<Pick<AgentHost, "platform" | "watchFiles" | "lostSince" | "isKept" | "close">> {
  const hasGitNetwork = ["robota.git-proxy", "robota.git-servers"].some((key) => readStored(key));
  const platform = browserPlatform({
    workspace: workspaceId,
    ...(hasGitNetwork && (await import("./state/git-network.ts")).gitNetwork()),
  });
  try {
    // A deleted workspace is not recreated. The first visit needs no list.
    if (workspaceId !== DEFAULT_WORKSPACE) await workspaces();
    // Two tabs that are opened at once must not both copy the sample project.
    await using _lease = await platform.storage.acquire("playground/seed");
    if (workspaceId === DEFAULT_WORKSPACE) await seed(platform.fs);
    else await platform.fs.mkdir(WORKSPACE_ROOT, { recursive: true });
  } catch (error) {
    if (await canStore()) throw error;
    const { memoryPlatform } = await import("./state/memory-platform.ts");
    const memory = memoryPlatform(platform);
    await seed(memory.fs);
    return {
      platform: memory,
      watchFiles: memory.watch,
      lostSince: async () => undefined,
      isKept: false,
      close: () => platform.dispose(),
    };
  }
  return {
    platform,
    watchFiles: (listener) => platform.fs.watch(listener),
    lostSince: async () => (await platform.storageState()).lostSince,
    isKept: true,
    close: () => platform.dispose(),
  };
}

/** Reports whether this browser lets the page store anything, as private windows of some don't. */
function canStore(): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.open("robota-probe");
      request.addEventListener("error", () => resolve(false));
      request.addEventListener("success", () => {
        request.result.close();
        indexedDB.deleteDatabase("robota-probe");
        resolve(true);
      });
    } catch {
      resolve(false);
    }
  });
}

async function seed(fs: FileSystem): Promise<void> {
  if (await isThere(fs, WORKSPACE_ROOT)) return;
  // Staged under another name, so that an interrupted visit does not look like a finished one.
  const draft = `${WORKSPACE_ROOT}.draft`;
  await fs.remove(draft, { recursive: true, force: true });
  await fs.mkdir(draft, { recursive: true });
  for (const [path, text] of Object.entries(sampleProject.files)) {
    const target = `${draft}/${path}`;
    await fs.mkdir(dirname(target), { recursive: true });
    await fs.writeFile(target, text);
  }
  await fs.rename(draft, WORKSPACE_ROOT);
}

async function isThere(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.stat(path);
    return true;
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return false;
    throw error;
  }
}
