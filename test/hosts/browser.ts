import { browserPlatform } from "@robota/adapters-web";
import type { WithHost } from "./host.ts";

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
