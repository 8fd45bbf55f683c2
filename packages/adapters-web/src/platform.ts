import { ConfigurationError, type FileSystem, type Platform, type Shell } from "@robota/runtime";
import { type OptionForms, requireOptions } from "@robota/runtime/ports";
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
   * Network of the shell's `git`, and the committer. Most servers refuse requests from pages: `corsProxy` names a
   * proxy. Without its `fetch`, `git` works on local files only. Ignored with a custom `shell`.
   */
  git?: GitOptions | undefined;
  /**
   * Allowed hosts of the shell's `git`: any public host by default. An origin in `allowPrivateOrigins` may be private.
   */
  shellPolicy?: WorkerShellOptions["policy"] | undefined;
  /** Makes the shell over the platform's files; a `workerShell` without a network by default. Disposed with the platform. */
  shell?: ((fs: FileSystem) => Shell & Partial<Disposable>) | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Values of `$ENV:NAME` in `userSettings` and in the option `settings`; a page has no environment of its own. */
  env?: Record<string, string> | undefined;
  /**
   * The person's own settings, in the form of a settings file, from the page's own storage. Settings in the workspace,
   * including its home, are a project's and wait for trust: models, imports and archives write there.
   */
  userSettings?: Readonly<Record<string, unknown>> | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

const OPTIONS: OptionForms<BrowserPlatformOptions> = {
  workspace: "string",
  git: "object",
  shellPolicy: "object",
  shell: "function",
  fetch: "function",
  env: "object",
  userSettings: "object",
  now: "function",
  randomUUID: "function",
};

export interface BrowserPlatform extends Platform {
  readonly fs: BrowserFileSystem;
  /** Opens the workspace and reports how safe its data are. */
  storageState(): Promise<StorageState>;
}

/**
 * The platform of one browser: files and sessions in IndexedDB, commands in a virtual shell off the page's thread.
 * Resolved writes survive a crash of the tab. Opens nothing before the first use.
 * @throws {ConfigurationError} Outside of a secure context (https or localhost), where browsers have no locks; for a misspelt
 * option
 */
export function browserPlatform(options: BrowserPlatformOptions = {}): BrowserPlatform {
  if (!globalThis.isSecureContext) {
    throw new ConfigurationError("This page is not a secure context", {
      hint: "Serve it over https, or from localhost.",
    });
  }
  requireOptions(options, OPTIONS);
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
  const shell = options.shell?.(fs) ?? lazyShell({ fs, git, home: HOME, policy });
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
