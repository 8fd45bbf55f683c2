import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter } from "../adapter.ts";
import { openSession, providerOf } from "./robota.ts";

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
          await rm(await home, { recursive: true });
        },
      };
    };
  },
};
