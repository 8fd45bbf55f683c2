import * as z from "../../zod.ts";
import { StorageError } from "../../errors.ts";
import type { Storage } from "../../ports/storage.ts";
import type { IndexPlace } from "./marketplace-index.ts";

const KEY = "marketplaces/sources";
const MAX_TRIES = 100;

/** A marketplace that a person has added. */
export interface StoredSource {
  /** The name in its index. */
  name: string;
  place: IndexPlace;
}

const sources = z.array(
  z.object({
    name: z.string(),
    place: z.union([
      z.object({ type: z.literal("url"), url: z.string() }),
      z.object({
        type: z.literal("github"),
        repository: z.string(),
        ref: z.exactOptional(z.string()),
      }),
      z.object({ type: z.literal("folder"), path: z.string() }),
    ]),
  }),
);

/** @throws {StorageError} `CORRUPT` for a list that can't be read, so that no source is lost unnoticed */
export async function readSources(storage: Storage): Promise<StoredSource[]> {
  const bytes = await storage.get(KEY);
  if (!bytes) return [];
  try {
    return z.parse(sources, JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    throw new StorageError("CORRUPT", "The list of marketplaces can't be read", { cause });
  }
}

/** Changes the list; others may change it at the same time, and none of the changes is lost. */
export async function changeSources(
  storage: Storage,
  change: (list: readonly StoredSource[]) => readonly StoredSource[],
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const version = (await storage.version(KEY)) ?? null;
    const next = change(await readSources(storage));
    try {
      const bytes = new TextEncoder().encode(JSON.stringify(next));
      await storage.set(KEY, bytes, { ifMatch: version });
      return;
    } catch (error) {
      const isOvertaken = error instanceof StorageError && error.code === "CONFLICT";
      if (!isOvertaken || tries === MAX_TRIES) throw error;
    }
  }
}
