import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter } from "../adapter.ts";
import { openSession, providerOf } from "./robota.ts";

/**
 * Removed when the process ends: ext4 looks through all inodes removed in the last seconds for each one that it makes, so
 * that the next sample would pay for the removal of thousands of files.
 */
const left: string[] = [];
process.on("exit", () => {
  for (const home of left) rmSync(home, { recursive: true, force: true });
});

export const sessionOnDisk: Adapter = {
  async load(wire) {
    const [parts, connect, { nodePlatform }] = await Promise.all([
      import("@robota/runtime"),
      providerOf(wire),
      import("@robota/adapters-node"),
    ]);
    return (target) => {
      const provider = connect(target);
      const home = mkdtemp(join(tmpdir(), "robota-bench-"));
      const platform = home.then((directory) => nodePlatform({ home: directory }));
      return {
        conversation: async (history) =>
          openSession(parts, { platform: await platform, provider, target }, history),
        async dispose() {
          await (await platform).dispose();
          left.push(await home);
        },
      };
    };
  },
};
