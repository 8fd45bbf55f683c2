import { fileSystemContract } from "@robota/runtime/testing";
import { MemoryFileSystem, OverlayFileSystem } from "@robota/runtime/virtual";
import { runContract } from "../../support/run-contract.ts";

runContract(
  "OverlayFileSystem over an empty base",
  fileSystemContract(() => new OverlayFileSystem(new MemoryFileSystem())),
);

/** Something of every type under the names that the cases use most: it must never show through. */
async function decoys(): Promise<MemoryFileSystem> {
  const base = new MemoryFileSystem({
    files: {
      "/file": "decoy",
      "/a/file": "decoy",
      "/a/b/c": "decoy",
      "/b/": "",
      "/d/file": "decoy",
      "/d/deep/file": "decoy",
      "/d/old": "decoy",
      "/dangling": "decoy",
      "/directory/file": "decoy",
      "/log/entry": "decoy",
      "/many/entry-1": "decoy",
      "/one": "decoy",
      "/real/deep/file": "decoy",
      "/to/b/deep/file": "decoy",
      "/two/file": "decoy",
    },
  });
  await base.symlink("/d", "/link");
  await base.symlink("self", "/self");
  await base.chmod("/file", 0o400);
  return base;
}

runContract(
  "OverlayFileSystem over a base whose files were all removed",
  fileSystemContract(
    async () => {
      const overlay = new OverlayFileSystem(await decoys());
      for (const { name } of await overlay.readdir("/")) {
        await overlay.remove(`/${name}`, { recursive: true });
      }
      return overlay;
    },
    { largeFileBytes: 5_000_000, manyEntries: 1000 },
  ),
);

runContract(
  "OverlayFileSystem over another one, both forks",
  fileSystemContract(
    () => new OverlayFileSystem(new OverlayFileSystem(new MemoryFileSystem()).fork()).fork(),
    {
      largeFileBytes: 5_000_000,
      manyEntries: 1000,
    },
  ),
);
