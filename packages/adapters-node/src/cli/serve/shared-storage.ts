import type { SharedStorage } from "@robota/runtime/shared-storage";
import { ConfigurationError } from "@robota/runtime";
import { UsageError } from "../arguments/usage-error.ts";

/** A database that several servers share, by the scheme of its address. */
interface Database {
  title: string;
  /** Packages to install beside the command. */
  packages: string;
  open: (url: string) => Promise<SharedStorage>;
}

const POSTGRES: Database = {
  title: "PostgreSQL",
  packages: "@robota/storage-postgres pg",
  async open(connectionString) {
    const { postgresStorage } = await import("@robota/storage-postgres");
    return postgresStorage({ connectionString });
  },
};

const REDIS: Database = {
  title: "Redis",
  packages: "@robota/storage-redis redis",
  async open(url) {
    const { redisStorage } = await import("@robota/storage-redis");
    return redisStorage({ url });
  },
};

/** The databases by the schemes of their addresses. */
const DATABASES: Readonly<Record<string, Database>> = {
  "postgres:": POSTGRES,
  "postgresql:": POSTGRES,
  "redis:": REDIS,
  "rediss:": REDIS,
};

/**
 * The storage at an address such as `postgres://user@host/database`. The first use connects; this one tries it, so that a
 * server does not start without its database.
 * @throws {UsageError} for an address of no such database
 * @throws {ConfigurationError} where the database's packages are not installed
 * @throws {StorageError} where the database can't be reached or does not keep what it confirms
 */
export async function sharedStorageAt(address: string): Promise<SharedStorage> {
  const database = DATABASES[URL.canParse(address) ? new URL(address).protocol : ""];
  if (!database) throw new UsageError("--storage is an address such as postgres://… or redis://…");
  const { title, packages } = database;
  let storage: SharedStorage;
  try {
    storage = await database.open(address);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new ConfigurationError(`The packages for ${title} are not installed`, {
      hint: `Install them where robota is: npm install --global ${packages}`,
      cause,
    });
  }
  await storage.get("serve");
  return storage;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}
