import { runInDurableObject } from "cloudflare:test";
import { edgePlatform } from "@robota/adapters-edge";
import { newObject } from "../workerd/inside-object.ts";
import type { WithHost } from "./host.ts";

/** The SQLite of a Durable Object of its own. */
export const withHost: WithHost = (run) =>
  runInDurableObject(newObject(), async (_object, state) => {
    const platform = edgePlatform(state);
    await platform.fs.mkdir("/workspace", { recursive: true });
    await run({ platform, cwd: "/workspace" });
  });
