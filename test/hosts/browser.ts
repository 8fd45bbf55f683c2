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

const inTab = async (
  workspace: string,
  now: () => number,
  run: Parameters<WithFiles>[1],
): Promise<void> => {
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
  IndexedDB: (now, run) => inTab(`test-${crypto.randomUUID()}`, now, run),
  // It reads by itself, and has its changes made by the first one.
  "IndexedDB, as a second tab has it": async (now, run) => {
    const workspace = `test-${crypto.randomUUID()}`;
    await using first = new BrowserFileSystem(workspace, { now });
    await first.stat("/");
    await inTab(workspace, now, run);
  },
};
