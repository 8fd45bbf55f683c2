import { memoryPlatform } from "@robota/shell/testing";
import type { WithHost } from "./host.ts";

/** Everything in memory. */
export const withMemory: WithHost = (run) =>
  run({ platform: memoryPlatform({ files: { "/workspace/": "" } }), cwd: "/workspace" });
