import { storageContract } from "@robota/runtime/testing";
import { redisStorage } from "@robota/storage-redis";
import { createClient } from "redis";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runRedis } from "../../support/servers/redis.ts";
import type { RunningServer } from "../../support/servers/run-server.ts";
import { silenceOf } from "./silence.ts";
import { storesOf } from "./stores.ts";
import { switchable } from "../../support/servers/switchable.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await runRedis();
});
afterAll(() => server[Symbol.asyncDispose]());

const stores = storesOf((name) =>
  redisStorage({ url: server.url, prefix: `{${name}}`, leaseSeconds: 3 }),
);

describe("Redis as storage", () => {
  for (const promise of storageContract(stores)) it(promise.name, () => promise.run());

  it("keeps what it has stored over a crash of the server, and is used again without being opened anew", async () => {
    await using store = stores();
    const storage = store.open();
    const stored = await Promise.all(
      Array.from({ length: 50 }, (_, index) => storage.append("log", [Uint8Array.of(index)])),
    );
    await server.restart();
    await expect.poll(() => storage.append("log", []).catch(String)).toBe(stored.at(-1));
    expect(await storage.append("log", [Uint8Array.of(50)])).toBe(51);
  });

  it("reports a server that can't be reached, and uses it once it is there", async () => {
    await using proxy = await switchable(server.url);
    await using storage = redisStorage({ url: proxy.url, prefix: "{away}" });
    const error = await storage.get("key").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "IO", hint: expect.stringContaining("address") });
    await proxy.turnOn();
    expect(await storage.get("key")).toBeUndefined();
  });

  it("reports a server that went away, and is disposed all the same", async () => {
    await using proxy = await switchable(server.url);
    await proxy.turnOn();
    const storage = redisStorage({ url: proxy.url, prefix: "{gone}" });
    await storage.acquire("session");
    await proxy.turnOff();
    await expect(storage.set("key", Uint8Array.of(1))).rejects.toMatchObject({ code: "IO" });
    await expect(storage.dispose()).rejects.toThrow();
  });

  it("reports a server that falls silent, and uses it once it answers again", async () => {
    await using proxy = await switchable(server.url);
    await proxy.turnOn();
    await using storage = redisStorage({ url: proxy.url, prefix: "{silent}" });
    expect(await silenceOf(storage, proxy)).toMatchObject({ code: "IO" });
    expect(await storage.get("key")).toEqual(Uint8Array.of(1));
    expect(await storage.append("log", [Uint8Array.of(1)])).toBe(1);
  });

  it("gives leases back for a user that may not publish", async () => {
    const admin = await createClient({ url: server.url }).connect();
    await admin.sendCommand("ACL SETUSER app on >word ~* +@all resetchannels".split(" "));
    admin.destroy();
    const url = server.url.replace("//", "//app:word@");
    await using storage = redisStorage({ url, prefix: "{quiet}" });
    const lease = await storage.acquire("session");
    await storage.acquire("session", { steal: true });
    await expect.poll(() => lease.lost.aborted).toBe(true);
    await storage.dispose();
    await using next = redisStorage({ url, prefix: "{quiet}" });
    await (await next.acquire("session")).release();
  });

  it.each([
    "redis://me:s3cret/word@127.0.0.1:9",
    "redis://me:s3cret%word@127.0.0.1:9",
    "http://me:s3cretword@127.0.0.1:9",
    "redis://me:s3cretword@127.0.0.1:9/nine",
  ])("refuses an address that is none, and does not repeat it: %s", (url) => {
    const error: unknown = (() => {
      try {
        return redisStorage({ url });
      } catch (reason) {
        return reason;
      }
    })();
    expect(error).toMatchObject({
      name: "ConfigurationError",
      hint: expect.stringContaining("redis://"),
    });
    expect(inspect(error)).not.toContain("s3cret");
  });

  it("refuses an option that is misspelt, or of no use", () => {
    const misspelt: object = { uri: server.url, durabilty: "server" };
    expect(() => redisStorage(misspelt)).toThrow("durabilty");
    expect(() => redisStorage({ leaseSeconds: Number.NaN })).toThrow("leaseSeconds");
  });

  it("uses a client that it leaves open", async () => {
    const client = await createClient({ url: server.url }).connect();
    const storage = redisStorage({ client, prefix: "{given}" });
    await storage.set("key", Uint8Array.of(1));
    await storage.dispose();
    expect(await client.exists("{given}:value:key")).toBe(1);
    client.destroy();
  });

  it.each([
    ["confirms writes before they are durable", ["--appendfsync", "everysec"], "appendfsync"],
    ["keeps no log", ["--appendonly", "no"], "appendonly"],
    [
      "evicts data",
      ["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"],
      "maxmemory-policy",
    ],
  ])("refuses a server that %s, unless told to take it", async (_, settings, hint) => {
    await using other = await runRedis(settings);
    await using storage = redisStorage({ url: other.url });
    const error = await storage.get("key").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "IO", hint: expect.stringContaining(hint) });
    await using willing = redisStorage({ url: other.url, durability: "server" });
    expect(await willing.get("key")).toBeUndefined();
  });

  it("reports a full server as full", async () => {
    await using other = await runRedis(["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"]);
    await using storage = redisStorage({ url: other.url });
    const fill = async (): Promise<void> => {
      for (let index = 0; index < 100; index++) {
        await storage.append("log", [new Uint8Array(100_000)]);
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: "FULL" });
  });

  it.each(["", "robota", "{}", "{a b}"])("refuses the prefix %j", (prefix) => {
    expect(() => redisStorage({ prefix })).toThrow("prefix");
  });
});
