import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { assertBytes, assertEqual, assertRejects, type CaseTable } from "../contract.ts";

const noFollow = true;
const ROUNDS = 12;

/** `/way` leads to `/real`, `/real/link` to `/real/file`, and `/dangling` nowhere. */
async function withLinks(fs: FileSystem): Promise<void> {
  await fs.mkdir("/real/sub", { recursive: true });
  await fs.writeFile("/real/file", "old");
  await fs.symlink("/real", "/way");
  await fs.symlink("file", "/real/link");
  await fs.symlink("nowhere", "/dangling");
}

type FileCall = () => Promise<unknown>;

/** Operations that follow a symlink at the end of `path`, but for `noFollow`. */
function targetOperations(fs: FileSystem, path: string): FileCall[] {
  return [
    () => fs.readFile(path, { noFollow }),
    () => fs.writeFile(path, "new", { noFollow }),
    () => fs.appendFile(path, "new", { noFollow }),
    () => fs.readdir(path, { noFollow }),
    () => fs.mkdir(path, { noFollow, recursive: true }),
    () => fs.chmod(path, 0o600, { noFollow }),
    () => fs.utimes(path, 1000, { noFollow }),
  ];
}

/** Operations on the entry `path` itself. */
function entryOperations(fs: FileSystem, path: string): FileCall[] {
  return [
    () => fs.mkdir(path, { noFollow }),
    () => fs.symlink("x", path, { noFollow }),
    () => fs.remove(path, { noFollow, recursive: true, force: true }),
    () => fs.rename(path, "/moved", { noFollow }),
    () => fs.rename("/real/file", path, { noFollow }),
  ];
}

/** The result; `undefined` for a refusal because of a link or a missing entry. */
async function unlessRefused<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    const codes = ["ELOOP", "ENOENT", "ENOTDIR", "EEXIST"];
    if (error instanceof FileSystemError && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** Keeps replacing the directory `/place` by a link to `/closed` and back while `act` runs. */
async function whileFlipped(fs: FileSystem, act: () => readonly Promise<unknown>[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const acts = [...act()];
    await fs.rename("/place", "/aside");
    acts.push(...act());
    await fs.symlink("closed", "/place");
    acts.push(...act());
    await fs.remove("/place");
    acts.push(...act());
    await fs.rename("/aside", "/place");
    await Promise.all(acts);
  }
}

export const noFollowCases: CaseTable<FileSystem> = {
  "reports that it honours noFollow": async (fs) => {
    assertEqual(fs.honorsNoFollow?.(), true);
  },

  "follows no symlink on the path with noFollow": async (fs) => {
    await withLinks(fs);
    for (const path of ["/way/file", "/way/sub", "/way/new", "/dangling/x"]) {
      for (const operation of [...targetOperations(fs, path), ...entryOperations(fs, path)]) {
        await assertRejects(operation(), "ELOOP", "FileSystemError");
      }
    }
    assertBytes(await fs.readFile("/real/file"), "old");
    assertEqual(
      (await fs.readdir("/real")).map(({ name }) => name),
      ["file", "link", "sub"],
    );
  },

  "follows no symlink in the last segment with noFollow": async (fs) => {
    await withLinks(fs);
    for (const path of ["/way", "/real/link", "/dangling"]) {
      for (const operation of targetOperations(fs, path)) {
        await assertRejects(operation(), "ELOOP", "FileSystemError");
      }
    }
    assertBytes(await fs.readFile("/real/file"), "old");
    await assertRejects(fs.lstat("/nowhere"), "ENOENT");
  },

  "makes, moves and removes a symlink itself with noFollow": async (fs) => {
    await withLinks(fs);
    await fs.symlink("file", "/real/other", { noFollow });
    await fs.rename("/real/other", "/real/moved", { noFollow });
    assertEqual(await fs.readlink("/real/moved"), "file");
    await fs.remove("/real/moved", { noFollow, recursive: true });
    await fs.rename("/real/link", "/dangling", { noFollow });
    assertEqual(await fs.readlink("/dangling"), "file");
    await fs.remove("/way", { noFollow });
    assertBytes(await fs.readFile("/real/file"), "old");
  },

  "removes the links of a tree with noFollow, but not their targets": async (fs) => {
    await withLinks(fs);
    await fs.mkdir("/tree/sub/deep", { recursive: true });
    await fs.writeFile("/tree/sub/deep/file", "x");
    await fs.symlink("/real", "/tree/sub/way");
    await fs.symlink("/real/file", "/tree/link");
    await fs.remove("/tree", { noFollow, recursive: true });
    await assertRejects(fs.lstat("/tree"), "ENOENT");
    assertBytes(await fs.readFile("/real/file"), "old");
    await assertRejects(fs.remove("/tree", { noFollow, recursive: true }), "ENOENT");
    await fs.remove("/tree", { noFollow, recursive: true, force: true });
    await assertRejects(fs.remove("/real", { noFollow }), "ENOTEMPTY");
  },

  "behaves the same with and without noFollow when there is no symlink": async (fs) => {
    await fs.mkdir("/a/b/c", { noFollow, recursive: true });
    await fs.mkdir("/a/b/c", { noFollow, recursive: true });
    await fs.mkdir("/a/d", { noFollow });
    await fs.writeFile("/a/b/file", "one", { noFollow });
    await fs.chmod("/a/b/file", 0o600, { noFollow });
    await fs.writeFile("/a/b/file", "two", { noFollow });
    await fs.appendFile("/a/b/file", "!", { noFollow });
    await fs.appendFile("/a/b/new", "n", { noFollow });
    assertBytes(await fs.readFile("/a/b/file", { noFollow }), "two!");
    await fs.utimes("/a/b/file", 5000, { noFollow });
    await fs.chmod("/a/b", 0o700, { noFollow });
    const { mode, mtimeMs } = await fs.stat("/a/b/file");
    assertEqual([mode, mtimeMs, (await fs.stat("/a/b")).mode], [0o600, 5000, 0o700]);
    await fs.rename("/a/b/file", "/a/d/file", { noFollow });
    await fs.rename("/a/b", "/e", { noFollow });
    assertEqual(await fs.readdir("/e", { noFollow }), [
      { name: "c", type: "directory" },
      { name: "new", type: "file" },
    ]);
    await assertRejects(fs.readFile("/e", { noFollow }), "EISDIR");
    await assertRejects(fs.readFile("/nope/x", { noFollow }), "ENOENT");
    await assertRejects(fs.writeFile("/nope/x", "", { noFollow }), "ENOENT");
    await assertRejects(fs.writeFile("/e", "", { noFollow }), "EISDIR");
    await assertRejects(fs.writeFile("/e/new/x", "", { noFollow }), "ENOTDIR");
    await assertRejects(fs.mkdir("/e", { noFollow }), "EEXIST");
    await assertRejects(fs.mkdir("/e/new", { noFollow, recursive: true }), "EEXIST");
    await assertRejects(fs.mkdir("/e/new/x", { noFollow, recursive: true }), "ENOTDIR");
    await assertRejects(fs.remove("/nope/x", { noFollow }), "ENOENT");
    await assertRejects(fs.rename("/e", "/e/c/x", { noFollow }), "EINVAL");
    await assertRejects(fs.rename("/e/new", "/e/c", { noFollow }), "EISDIR");
    await assertRejects(fs.readdir("/e/new", { noFollow }), "ENOTDIR");
  },

  "reads nothing through a link that appears on the path meanwhile": async (fs) => {
    await fs.mkdir("/place");
    await fs.mkdir("/closed");
    await fs.writeFile("/place/file", "open");
    await fs.writeFile("/closed/file", "closed");
    await fs.writeFile("/closed/more", "");
    const seen = new Set<string>();
    const read = async (): Promise<void> => {
      const bytes = await unlessRefused(fs.readFile("/place/file", { noFollow }));
      if (bytes) seen.add(new TextDecoder().decode(bytes));
    };
    const list = async (): Promise<void> => {
      const names = await unlessRefused(fs.readdir("/place", { noFollow }));
      for (const { name } of names ?? []) seen.add(name);
    };
    await whileFlipped(fs, () => [read(), list()]);
    assertEqual([...seen].sort(), ["file", "open"]);
  },

  "changes nothing through a link that appears on the path meanwhile": async (fs) => {
    await fs.mkdir("/place");
    await fs.mkdir("/closed/kept", { recursive: true });
    const changes = (): Promise<unknown>[] =>
      [
        fs.writeFile("/place/written", "x", { noFollow }),
        fs.appendFile("/place/appended", "x", { noFollow }),
        fs.mkdir("/place/made", { noFollow }),
        fs.symlink("x", "/place/link", { noFollow }),
        fs.chmod("/place/kept", 0o700, { noFollow }),
        fs.rename("/place/kept", "/place/moved", { noFollow }),
        fs.remove("/place/kept", { noFollow, recursive: true, force: true }),
      ].map(unlessRefused);
    await whileFlipped(fs, changes);
    assertEqual(await fs.readdir("/closed"), [{ name: "kept", type: "directory" }]);
    assertEqual((await fs.stat("/closed/kept")).mode, 0o755);
  },
};
