import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileSystemContract } from "@robota/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NodeFileSystem } from "@robota/adapters-node";

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "robota-files-"));
});
afterAll(() => rm(base, { recursive: true }));
const directory = (): Promise<string> => mkdtemp(join(base, "case-"));

describe("the machine's file system", () => {
  for (const promise of fileSystemContract(() => new NodeFileSystem(), {
    directory,
    opensFiles: true,
  })) {
    it(promise.name, () => promise.run(), promise.slow ? 120_000 : 30_000);
  }
});

it.runIf(process.getuid)("reports a file's owner", async () => {
  const stat = await new NodeFileSystem().stat(await directory());
  expect(stat.uid).toBe(process.getuid?.());
});

describe("a directory seen as the root", () => {
  const create = async () => new NodeFileSystem({ root: await directory() });
  for (const promise of fileSystemContract(create, {
    opensFiles: true,
    largeFileBytes: 5_000_000,
    manyEntries: 1_000,
  })) {
    it(promise.name, () => promise.run(), promise.slow ? 120_000 : 30_000);
  }
});
