import { browserPlatform, BrowserFileSystem } from "@robota/adapters-web";
import type { WithFiles, WithHost } from "./host.ts";

/** IndexedDB, and the shell in a worker. */
export const withHost: WithHost = async (run) => {
  const platform = browserPlatform({ workspace: `test-${crypto.randomUUID()}` });
  try {
    await platform.fs.mkdir("/workspace", { recursive: true });
    await run({ platform, cwd: "/workspace" });
  } finally {
    await platform.dispose();
  }
};

const indexedDb: WithFiles = async (now, run) => {
  const workspace = `test-${crypto.randomUUID()}`;
  let fs = new BrowserFileSystem(workspace, { now });
  const reopen = async (): Promise<BrowserFileSystem> => {
    await fs.dispose();
    fs = new BrowserFileSystem(workspace, { now });
    return fs;
  };
  try {
    await run({ fs, top: "/", directory: "/", hasClock: true, reopen });
  } finally {
    await fs.dispose();
  }
};

/** As a second tab sees them: it reads by itself, and another one makes its changes. */
const followed: WithFiles = async (now, run) => {
  const workspace = `test-${crypto.randomUUID()}`;
  await using owner = new BrowserFileSystem(workspace, { now });
  await owner.stat("/");
  let fs = new BrowserFileSystem(workspace, { now });
  const reopen = async (): Promise<BrowserFileSystem> => {
    await fs.dispose();
    fs = new BrowserFileSystem(workspace, { now });
    return fs;
  };
  try {
    await run({ fs, top: "/", directory: "/", hasClock: true, reopen });
  } finally {
    await fs.dispose();
  }
};

export const fileSystems: Record<string, WithFiles> = {
  IndexedDB: indexedDb,
  "IndexedDB, in a second tab": followed,
};
