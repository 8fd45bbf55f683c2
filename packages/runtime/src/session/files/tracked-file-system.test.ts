import { FileSystemError, StorageError } from "@robota/runtime";
import { fileSystemContract } from "@robota/runtime/testing";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import type { SessionEventBody } from "../log/events.ts";
import { Checkpoints } from "./checkpoints.ts";
import { FileHistory } from "./file-history.ts";
import type { FileBefore } from "./past-version.ts";
import { Payloads, payloadsInMemory } from "./payloads.ts";
import { type RestoredFiles, restoreFiles } from "./restore.ts";
import { TrackedFileSystem } from "./tracked-file-system.ts";

interface Tracked {
  fs: TrackedFileSystem;
  base: MemoryFileSystem;
  files: FileBefore[];
  restore: () => Promise<RestoredFiles>;
}

function tracked(failure?: Error): Tracked {
  const files: FileBefore[] = [];
  const checkpoints = new Checkpoints();
  const base = new MemoryFileSystem();
  const take = (body: SessionEventBody): void => {
    if (body.type !== "files_before") return;
    files.push(...body.files);
    checkpoints.changed({ v: 1, seq: 1, sessionId: "s", time: 0, ...body });
  };
  const payloads = new Payloads(payloadsInMemory(), "s", { payloads: undefined });
  const commit = async (...bodies: SessionEventBody[]): Promise<void> => {
    if (failure) throw failure;
    bodies.forEach(take);
  };
  const parts = { state: { cwd: "/", checkpoints }, writer: { commit }, log: { stream: take } };
  const history = new FileHistory(parts, payloads);
  const restore = () => restoreFiles(base, files, payloads);
  return { fs: new TrackedFileSystem(base, history), base, files, restore };
}

describe("tracked files", () => {
  // The slow ones are about the files below, which have the contract to themselves.
  const cases = fileSystemContract(async () => tracked().fs).filter(({ slow }) => !slow);
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});

it("record a link, not its target, also with a trailing slash", async () => {
  for (const change of [
    (fs: TrackedFileSystem) => fs.remove("/link/"),
    (fs: TrackedFileSystem) => fs.rename("/link//", "/moved/"),
  ]) {
    const { fs, base, restore } = tracked();
    await base.mkdir("/dir");
    await base.symlink("dir", "/link");
    await change(fs);
    expect(await base.readdir("/")).not.toContainEqual({ name: "link", type: "symlink" });
    expect((await restore()).notRestored).toEqual([]);
    expect(await base.readdir("/")).toEqual([
      { name: "dir", type: "directory" },
      { name: "link", type: "symlink" },
    ]);
  }
});

it("record each path once, before its change, also through links", async () => {
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

it("restore entries created above a path that was requested in vain", async () => {
  const { fs, base, restore } = tracked();
  await base.writeFile("/file.txt", "kept");
  await expect(fs.rename("/file.txt", "/new/deep/file.txt")).rejects.toMatchObject({
    code: "ENOENT",
  });
  await fs.mkdir("/new/deep/file.txt", { recursive: true });
  await restore();
  expect((await base.readdir("/")).map(({ name }) => name)).toEqual(["file.txt"]);
});

it("record a path behind a link by its canonical name", async () => {
  const { fs, base, files, restore } = tracked();
  await base.mkdir("/real");
  await base.symlink("/real", "/link");
  await fs.mkdir("/link/a/b", { recursive: true });
  expect(files.map(({ path }) => path)).toEqual(["/real/a", "/real/a/b"]);
  await restore();
  expect(await base.readdir("/real")).toEqual([]);
});

it("neither remove nor replace the target of a later link", async () => {
  const { fs, base, restore } = tracked();
  await base.mkdir("/dir");
  await base.mkdir("/other");
  await base.writeFile("/dir/old.txt", "old");
  await base.writeFile("/other/new.txt", "somebody's");
  await base.writeFile("/other/old.txt", "somebody's");
  await fs.writeFile("/dir/new.txt", "new");
  await fs.writeFile("/dir/old.txt", "changed");
  // A change past the session.
  await base.remove("/dir", { recursive: true });
  await base.symlink("/other", "/dir");

  expect(await restore()).toEqual({
    restored: [],
    removed: [],
    notRestored: [{ path: "/dir/old.txt", reason: expect.stringContaining("symlink") }],
  });
  for (const name of ["new.txt", "old.txt"]) {
    const bytes = await base.readFile(`/other/${name}`);
    expect(new TextDecoder().decode(bytes)).toBe("somebody's");
  }
});

it("change nothing that could not be recorded", async () => {
  const { fs, base } = tracked(new StorageError("FULL", "No room"));
  await base.writeFile("/kept.txt", "old");
  const writing = fs.writeFile("/kept.txt", "new");
  await expect(writing).rejects.toBeInstanceOf(FileSystemError);
  await expect(writing).rejects.toMatchObject({ code: "ENOSPC" });
  expect(new TextDecoder().decode(await base.readFile("/kept.txt"))).toBe("old");
});
