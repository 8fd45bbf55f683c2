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
    it(promise.name, () => promise.run());
  }
});

it.runIf(process.platform === "linux")(
  "makes and writes nothing where nothing can be created, and reports so at once",
  async () => {
    const fs = new NodeFileSystem();
    for (const path of ["/proc/nope/a/b", "/proc/self/nope/a"]) {
      const refused = { name: "FileSystemError", code: "ENOENT" };
      await expect(fs.mkdir(path, { recursive: true })).rejects.toMatchObject(refused);
      await expect(fs.writeFile(`${path}/file`, "x")).rejects.toMatchObject(refused);
    }
  },
);

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
    it(promise.name, () => promise.run());
  }
});
