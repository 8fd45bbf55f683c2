import { ConfigurationError } from "@robota/runtime";
import { type OptionForms, requireOptions } from "@robota/runtime/ports";
import { type SharedStorage, sharedStorage } from "@robota/runtime/shared-storage";
import { createClient, type RedisClientOptions } from "redis";
import { RedisBackend } from "./backend.ts";
import type { RedisConnection } from "./connection.ts";

/** All keys lie in one slot of a cluster, since a script may only touch keys of one. */
const PREFIX = /^\{[\w.-]{1,64}\}$/;
type RedisSocketOptions = NonNullable<RedisClientOptions["socket"]>;

/** Milliseconds between attempts to connect to a server again, which double. */
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 2000;

export interface RedisStorageOptions {
  /** `redis://user:password@host:6379`, or `rediss:` for TLS; by default the server on this machine. */
  url?: string | undefined;
  /** A client of your own instead, which you close yourself. */
  client?: RedisConnection | undefined;
  /** Prefix of all keys, in braces, so that a cluster keeps them together; `{robota}` by default. */
  prefix?: string | undefined;
  /**
   * `fsync` (default): refuses a server that confirms writes before they are on its disk, or evicts data. `server`: takes
   * the server as it is; a crash then loses its newest writes, which sessions have shown as done.
   */
  durability?: "fsync" | "server" | undefined;
  /** Seconds for which a lease outlives a holder that has died; 10 by default. */
  leaseSeconds?: number | undefined;
}

const OPTIONS: OptionForms<RedisStorageOptions> = {
  url: "string",
  client: "object",
  prefix: "any",
  durability: "string",
  leaseSeconds: "any",
};

/**
 * A storage in Redis 6.2 or newer, or Valkey, which any number of processes and machines share: a session is open in one of
 * them at a time, and one that lost its lease writes nothing more. Connects with the first use, which rejects with `IO`, and
 * a hint, when the server does not keep its writes.
 *
 * Replicas of Redis follow asynchronously: a failover can lose acknowledged writes. Use PostgreSQL where that is not
 * acceptable.
 * @throws {ConfigurationError} A prefix that is not in braces, an address that is none, or an option that is misspelt.
 */
export function redisStorage(options: RedisStorageOptions = {}): SharedStorage {
  requireOptions(options, OPTIONS);
  const { prefix = "{robota}", durability = "fsync", leaseSeconds } = options;
  if (!PREFIX.test(prefix)) {
    throw new ConfigurationError(`Not a prefix: ${JSON.stringify(prefix)}`, {
      hint: "Put letters, digits, '_', '.' or '-' in braces, such as {robota}.",
    });
  }
  const client = options.client ?? ownClient(options.url);
  const ownsClient = options.client === undefined;
  const checksServer = durability === "fsync";
  return sharedStorage(new RedisBackend(client, { prefix, checksServer, ownsClient }), {
    leaseSeconds,
  });
}

function ownClient(url: string | undefined): RedisConnection {
  let hasAnswered = false;
  const client = clientAt(url, {
    // A server that never answered is reported, and tried again with the next use.
    reconnectStrategy: (retries, cause) =>
      hasAnswered ? Math.min(FIRST_RETRY_MS * 2 ** retries, MAX_RETRY_MS) : cause,
  });
  // Every command reports the failure; without a listener the event would end the process.
  client.on("error", () => undefined);
  client.on("ready", () => (hasAnswered = true));
  client.on("end", () => (hasAnswered = false));
  return client;
}

function clientAt(url: string | undefined, socket: RedisSocketOptions) {
  try {
    return createClient({ ...(url !== undefined && { url }), socket });
  } catch {
    // The error of the platform holds the address with its password.
    throw new ConfigurationError("Not the address of a Redis server: url", {
      hint: "Use redis://user:password@host:6379/0, or rediss: for TLS; in a password write %2F for /, %23 for # and %25 for %.",
    });
  }
}
