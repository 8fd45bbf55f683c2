import { ConfigurationError, type FileSystem, type Platform, type Shell } from "@robota/runtime";
import type { GitOptions } from "@robota/shell";
import { BrowserFileSystem } from "./file-system/browser-file-system.ts";
import { noteOpened, type StorageState, storageUse } from "./kept-data.ts";
import { lazyShell } from "./shell/lazy-shell.ts";
import type { WorkerShellOptions } from "./shell/worker-shell.ts";
import { BrowserStorage } from "./storage/browser-storage.ts";

const HOME = "/home/user";
const WORKSPACE = "/workspace";

export interface BrowserPlatformOptions {
  /** Names the files and sessions, which all tabs of the browser that open the same name share. `default` by default. */
  workspace?: string | undefined;
  /**
   * The network of the shell's `git`, and who commits. Most servers let no page read them: `corsProxy` names one that
   * does. Without its `fetch`, `git` works on the files only. For a `shell` of one's own it is of no use.
   */
  git?: GitOptions | undefined;
  /** Where the shell's `git` may go: any public host unless told. An origin in `allowPrivateOrigins` may be private. */
  shellPolicy?: WorkerShellOptions["policy"] | undefined;
  /** Makes the shell over the platform's files; a `workerShell` without a network by default. Disposed with the platform. */
  shell?: ((fs: FileSystem) => Shell & Partial<Disposable>) | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** What `$ENV:NAME` of `userSettings` and of the option `settings` stands for; a page has no environment of its own. */
  env?: Record<string, string> | undefined;
  /**
   * The person's own settings, in the form of a settings file, from where the page keeps them. Whatever lies in the workspace,
   * its home too, is a project's and waits for trust: models, imports and archives write there.
   */
  userSettings?: Readonly<Record<string, unknown>> | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

export interface BrowserPlatform extends Platform {
  readonly fs: BrowserFileSystem;
  /** Opens the workspace and tells how safe its data are. */
  storageState(): Promise<StorageState>;
}

/**
 * The platform of one browser: files and sessions in IndexedDB, commands in a virtual shell off the page's thread. What
 * resolved survives the crash of the tab. Opens nothing before the first use.
 * @throws {ConfigurationError} Outside of a secure context (https or localhost), where browsers have no locks
 */
export function browserPlatform(options: BrowserPlatformOptions = {}): BrowserPlatform {
  if (!globalThis.isSecureContext) {
    throw new ConfigurationError("This page is not a secure context", {
      hint: "Serve it over https, or from localhost.",
    });
  }
  const { workspace = "default", git = {}, env = {}, now = Date.now } = options;
  let lostSince: number | undefined;
  const fs = new BrowserFileSystem(workspace, {
    now,
    directories: [HOME, "/tmp"],
    onOpen({ isNew }) {
      lostSince = noteOpened(workspace, { isNew, now: now() });
    },
  });
  const { shellPolicy: policy } = options;
  const shell =
    options.shell?.(fs) ?? lazyShell({ fs, git, home: HOME, ...(policy ? { policy } : {}) });
  const storage = new BrowserStorage(workspace);

  const dispose = async (): Promise<void> => {
    shell[Symbol.dispose]?.();
    await Promise.all([fs.dispose(), storage.dispose()]);
  };
  return {
    name: "browser",
    fs,
    shell,
    storage,
    // `fetch` refuses to be called as another object's method.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    cwd: WORKSPACE,
    home: HOME,
    userSettings: options.userSettings,
    warn: (message) => console.warn(message),
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    now,
    randomUUID: options.randomUUID ?? (() => crypto.randomUUID()),
    async storageState() {
      await fs.stat("/");
      return { ...(await storageUse()), lostSince };
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}
