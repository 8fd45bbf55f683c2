import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeStorage } from "@robota/adapters-node";
import { storageContract } from "@robota/runtime/testing";
import { describe, it } from "vitest";

/** A directory of its own, and everything that was opened on it closed at the end. */
async function createStore() {
  const directory = await mkdtemp(join(tmpdir(), "robota-storage-"));
  const opened: NodeStorage[] = [];
  return {
    directory,
    open() {
      const storage = new NodeStorage({ directory });
      opened.push(storage);
      return storage;
    },
    async [Symbol.asyncDispose]() {
      for (const storage of opened) await storage.dispose();
      await rm(directory, { recursive: true });
    },
  };
}

describe("files as storage", () => {
  for (const promise of storageContract(createStore)) it(promise.name, () => promise.run());
});
