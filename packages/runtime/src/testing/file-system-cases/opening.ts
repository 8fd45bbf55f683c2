import type { FileSystem, OpenFile } from "../../ports/file-system.ts";
import {
  assert,
  assertBytes,
  assertEqual,
  assertRejects,
  type CaseTable,
  delay,
  patternBytes,
} from "../contract.ts";

async function opened(fs: FileSystem, path: string): Promise<OpenFile> {
  if (!fs.open) throw new Error("expected an `open`");
  return fs.open(path);
}

export const openingCases: CaseTable<FileSystem> = {
  "reads an open file from anywhere, to its end and no further": async (fs) => {
    const bytes = patternBytes(100_000);
    await fs.writeFile("/file", bytes);
    await using file = await opened(fs, "/file");
    assertEqual([file.path, file.size], ["/file", 100_000]);
    assertBytes(await file.read(0, 10), bytes.slice(0, 10));
    assertBytes(await file.read(70_000, 20_000), bytes.slice(70_000, 90_000));
    assertBytes(await file.read(99_990, 500), bytes.slice(99_990));
    assertBytes(await file.read(100_000, 500), "");
    assertBytes(await file.read(200_000, 500), "");
    assertBytes(await file.read(0, 100_000), bytes);
  },

  "gives each reader of an open file a buffer of its own": async (fs) => {
    await fs.writeFile("/file", "before");
    await using file = await opened(fs, "/file");
    (await file.read(0, 6)).fill(0);
    assertBytes(await file.read(0, 6), "before");
  },

  "reports the canonical path of the open file": async (fs) => {
    await fs.mkdir("/directory");
    await fs.writeFile("/directory/file", "here");
    await fs.symlink("/directory", "/way");
    await fs.symlink("way/file", "/link");
    await using file = await opened(fs, "/link");
    assertEqual(file.path, "/directory/file");
    assertBytes(await file.read(0, 10), "here");
  },

  "keeps reading the same file when its path changes": async (fs) => {
    await fs.writeFile("/one", "one");
    await fs.writeFile("/two", "two");
    await fs.symlink("one", "/link");
    await using file = await opened(fs, "/link");
    await fs.remove("/link");
    await fs.symlink("two", "/link");
    await fs.rename("/two", "/one");
    assertEqual(file.path, "/one");
    assertBytes(await file.read(0, 10), "one");
  },

  "opens the old or the new file during continuous replacement": async (fs) => {
    await fs.writeFile("/file", "0");
    let isDone = false;
    const replace = async (): Promise<void> => {
      for (let version = 1; !isDone; version++) {
        await fs.writeFile("/next", String(version));
        await fs.rename("/next", "/file");
        // Without a real wait, the reader would never get its turn.
        await delay(0);
      }
    };
    const replacing = replace();
    try {
      for (let last = 0, look = 0; look < 300; look++) {
        await using file = await opened(fs, "/file");
        const version = Number(new TextDecoder().decode(await file.read(0, 10)));
        assert(version >= last, `version ${version} came after ${last}`);
        last = version;
      }
    } finally {
      isDone = true;
      await replacing;
    }
  },

  "opens files and nothing else": async (fs) => {
    await fs.mkdir("/directory");
    await fs.writeFile("/file", "x");
    await fs.symlink("loop", "/loop");
    await assertRejects(opened(fs, "/directory"), "EISDIR", "FileSystemError");
    await assertRejects(opened(fs, "/nope"), "ENOENT", "FileSystemError");
    await assertRejects(opened(fs, "/file/below"), "ENOTDIR", "FileSystemError");
    await assertRejects(opened(fs, "/loop"), "ELOOP", "FileSystemError");
  },
};
