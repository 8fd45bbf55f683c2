import { StorageError } from "../../errors.ts";
import type { Storage } from "../../ports/storage.ts";

const encoder = new TextEncoder();
const MAX_ATTEMPTS = 10;

export interface GrantChange {
  /** Key in the storage. */
  name: string;
  cwd: string;
  next: (rules: readonly string[]) => string[];
  parse: (bytes: Uint8Array | undefined) => string[];
}

/** Changes the stored rules of a workspace. Another session of it may write at the same time. */
export async function changeGrants(
  storage: Storage,
  { name, cwd, next, parse }: GrantChange,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const version = await storage.version(name);
    const rules = next(parse(await storage.get(name)));
    const value = encoder.encode(JSON.stringify({ v: 1, cwd, rules }));
    try {
      await storage.set(name, value, { ifMatch: version ?? null });
      return;
    } catch (error) {
      const isLost = error instanceof StorageError && error.code === "CONFLICT";
      if (!isLost || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}
