import { FileSystemError, StorageError } from "@robota/runtime";
import { fileSystemContract } from "@robota/runtime/testing";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import type { SessionEventBody } from "../events.ts";
import { FileHistory } from "./file-history.ts";
import type { FileBefore } from "./past-version.ts";
import { Payloads, payloadsInMemory } from "./payloads.ts";
import { TrackedFileSystem } from "./tracked-file-system.ts";

interface Tracked {
  fs: TrackedFileSystem;
  base: MemoryFileSystem;
  files: FileBefore[];
}

function tracked(failure?: Error): Tracked {
  const files: FileBefore[] = [];
  const known = new Set<string>();
  const base = new MemoryFileSystem();
  const take = (body: SessionEventBody): void => {
    for (const file of body.type === "files_before" ? body.files : []) {
      files.push(file);
      known.add(file.path);
    }
  };
  const history = new FileHistory({
    known,
    payloads: new Payloads(payloadsInMemory(), "s", new Set()),
    commit: async (...bodies) => {
      if (failure) throw failure;
      bodies.forEach(take);
    },
    stream: take,
  });
  return { fs: new TrackedFileSystem(base, history), base, files };
}

describe("files that are followed", () => {
  // The slow ones are about the files below, which have the contract to themselves.
  const cases = fileSystemContract(async () => tracked().fs).filter(({ slow }) => !slow);
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});

it("takes each path down once, before it changes, through links too", async () => {
  const { fs, base, files } = tracked();
  await base.writeFile("/real.txt", "old");
  await base.symlink("/real.txt", "/link.txt");
  await fs.writeFile("/link.txt", "new");
  await fs.writeFile("/link.txt", "newer");
  await fs.mkdir("/a/b", { recursive: true });
  await fs.rename("/real.txt", "/a/b/moved.txt");
  expect(files.map(({ path, before }) => [path, before && before.type])).toEqual([
    ["/real.txt", "file"],
    ["/a", null],
    ["/a/b", null],
    ["/a/b/moved.txt", null],
  ]);
});

it("changes nothing that it could not take down", async () => {
  const { fs, base } = tracked(new StorageError("FULL", "No room"));
  await base.writeFile("/kept.txt", "old");
  const writing = fs.writeFile("/kept.txt", "new");
  await expect(writing).rejects.toBeInstanceOf(FileSystemError);
  await expect(writing).rejects.toMatchObject({ code: "ENOSPC" });
  expect(new TextDecoder().decode(await base.readFile("/kept.txt"))).toBe("old");
});
