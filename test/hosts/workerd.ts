import { runInDurableObject } from "cloudflare:test";
import { edgePlatform } from "@robota/adapters-edge";
import { newObject } from "../workerd/inside-object.ts";
import type { WithFiles, WithHost } from "./host.ts";

/** The SQLite of a Durable Object of its own. */
export const withHost: WithHost = (run) =>
  runInDurableObject(newObject(), async (_object, state) => {
    const platform = edgePlatform(state);
    await platform.fs.mkdir("/workspace", { recursive: true });
    await run({ platform, cwd: "/workspace" });
  });

const durableObject: WithFiles = (now, run) =>
  runInDurableObject(newObject(), async (_object, state) => {
    // An object's memory belongs to its state: with another state it begins with the stored data.
    const open = () =>
      edgePlatform(new Proxy(state, { get: (of, key) => Reflect.get(of, key) }), {}, { now }).fs;
    await run({ fs: open(), top: "/", directory: "/", hasClock: true, reopen: async () => open() });
  });

export const fileSystems: Record<string, WithFiles> = { "a Durable Object": durableObject };
