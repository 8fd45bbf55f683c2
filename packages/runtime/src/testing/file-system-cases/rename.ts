import type { FileSystem } from "../../ports/file-system.ts";
import { assert, assertBytes, assertEqual, assertRejects, type CaseTable } from "../contract.ts";

export const renameCases: CaseTable<FileSystem> = {
  "moves a file with its bytes, mode and time": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/a", "x");
    await fs.chmod("/a", 0o600);
    await fs.utimes("/a", 1_000_000);
    await fs.rename("/a", "/d/b");
    assertEqual(await fs.readdir("/"), [{ name: "d", type: "directory" }]);
    assertBytes(await fs.readFile("/d/b"), "x");
    const { mode, mtimeMs } = await fs.stat("/d/b");
    assertEqual(mode, 0o600);
    assert(Math.abs(mtimeMs - 1_000_000) < 1, `mtime became ${mtimeMs}`);
  },

  "moves a directory with everything in it": async (fs) => {
    await fs.mkdir("/a/deep", { recursive: true });
    await fs.writeFile("/a/deep/file", "x");
    await fs.symlink("deep/file", "/a/link");
    await fs.mkdir("/to");
    await fs.rename("/a", "/to/b");
    assertBytes(await fs.readFile("/to/b/deep/file"), "x");
    assertBytes(await fs.readFile("/to/b/link"), "x");
    await assertRejects(fs.stat("/a/deep/file"), "ENOENT", "FileSystemError");
    assertEqual(await fs.readdir("/"), [{ name: "to", type: "directory" }]);
  },

  "does nothing when both names are the same": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/file", "x");
    await fs.symlink("d", "/link");
    await fs.rename("/d/file", "/d/file");
    await fs.rename("/d/file", "/d/../d//file");
    await fs.rename("/d", "/d");
    await fs.rename("/link", "/link");
    assertBytes(await fs.readFile("/link/file"), "x");
    assertEqual((await fs.lstat("/link")).type, "symlink");
  },

  "does nothing when both names lead to the same entry through a symlink": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/file", "x");
    await fs.symlink("d", "/link");
    await fs.rename("/d/file", "/link/file");
    assertBytes(await fs.readFile("/d/file"), "x");
  },

  "refuses to move a missing path, even onto itself, and keeps the target": async (fs) => {
    await fs.writeFile("/target", "x");
    await assertRejects(fs.rename("/nope", "/target"), "ENOENT", "FileSystemError");
    await assertRejects(fs.rename("/nope", "/nope"), "ENOENT", "FileSystemError");
    assertBytes(await fs.readFile("/target"), "x");
  },

  "refuses a destination without a parent and keeps the source": async (fs) => {
    await fs.writeFile("/a", "x");
    await fs.writeFile("/file", "y");
    await assertRejects(fs.rename("/a", "/no/b"), "ENOENT", "FileSystemError");
    await assertRejects(fs.rename("/a", "/file/b"), "ENOTDIR", "FileSystemError");
    assertBytes(await fs.readFile("/a"), "x");
  },

  "refuses to move a directory into its own child": async (fs) => {
    await fs.mkdir("/d/deep", { recursive: true });
    await fs.writeFile("/d/deep/file", "x");
    await fs.symlink("d/deep", "/link");
    await assertRejects(fs.rename("/d", "/d/e"), "EINVAL", "FileSystemError");
    await assertRejects(fs.rename("/d", "/d/deep"), "EINVAL", "FileSystemError");
    await assertRejects(fs.rename("/d", "/d/deep/e"), "EINVAL", "FileSystemError");
    await assertRejects(fs.rename("/d", "/link/e"), "EINVAL", "FileSystemError");
    assertBytes(await fs.readFile("/d/deep/file"), "x");
  },

  "refuses names that end in . or ..": async (fs) => {
    await fs.mkdir("/d/deep", { recursive: true });
    await fs.writeFile("/file", "x");
    for (const name of ["/d/.", "/d/..", "/d/deep/../.", "/d/./", "/d/../", "/d/deep/.."]) {
      await assertRejects(fs.rename(name, "/x"), "EINVAL", "FileSystemError");
      await assertRejects(fs.rename("/file", name), "EINVAL", "FileSystemError");
      await assertRejects(fs.rename("/d/deep", name), "EINVAL", "FileSystemError");
    }
    await fs.rename("/d/./deep", "/d/../...");
    assertEqual(
      (await fs.readdir("/")).map((entry) => entry.name),
      ["...", "d", "file"],
    );
  },

  "moves a directory beside one with the same prefix": async (fs) => {
    await fs.mkdir("/d");
    await fs.mkdir("/d2");
    await fs.rename("/d", "/d2/d");
    assertEqual(await fs.readdir("/d2"), [{ name: "d", type: "directory" }]);
  },

  "replaces a file by a file": async (fs) => {
    await fs.writeFile("/a", "new");
    await fs.writeFile("/b", "old and longer");
    await fs.chmod("/b", 0o600);
    await fs.rename("/a", "/b");
    assertBytes(await fs.readFile("/b"), "new");
    assertEqual((await fs.stat("/b")).mode, 0o644);
    assertEqual(await fs.readdir("/"), [{ name: "b", type: "file" }]);
  },

  "replaces an empty directory by a directory": async (fs) => {
    await fs.mkdir("/a");
    await fs.writeFile("/a/file", "x");
    await fs.mkdir("/b");
    await fs.rename("/a", "/b");
    assertBytes(await fs.readFile("/b/file"), "x");
    assertEqual(await fs.readdir("/"), [{ name: "b", type: "directory" }]);
  },

  "refuses to replace a directory that is not empty": async (fs) => {
    await fs.mkdir("/a");
    await fs.mkdir("/b/inside", { recursive: true });
    await assertRejects(fs.rename("/a", "/b"), "ENOTEMPTY", "FileSystemError");
    await assertRejects(fs.rename("/b/inside", "/b"), "ENOTEMPTY", "FileSystemError");
    assertEqual(
      (await fs.readdir("/")).map((entry) => entry.name),
      ["a", "b"],
    );
  },

  "refuses to replace a directory by anything else": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/file", "x");
    await fs.symlink("file", "/link");
    await assertRejects(fs.rename("/file", "/d"), "EISDIR", "FileSystemError");
    await assertRejects(fs.rename("/link", "/d"), "EISDIR", "FileSystemError");
    assertBytes(await fs.readFile("/link"), "x");
  },

  "refuses to replace anything else by a directory": async (fs) => {
    await fs.mkdir("/d");
    await fs.mkdir("/e");
    await fs.writeFile("/file", "x");
    await fs.symlink("e", "/link");
    await assertRejects(fs.rename("/d", "/file"), "ENOTDIR", "FileSystemError");
    await assertRejects(fs.rename("/d", "/link"), "ENOTDIR", "FileSystemError");
    assertEqual((await fs.stat("/d")).type, "directory");
    assertBytes(await fs.readFile("/file"), "x");
  },

  "moves a symlink itself and keeps its target as given": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/file", "x");
    await fs.symlink("file", "/link");
    await fs.rename("/link", "/d/link");
    assertEqual(await fs.readlink("/d/link"), "file");
    assertBytes(await fs.readFile("/file"), "x");
    await assertRejects(fs.readFile("/d/link"), "ENOENT", "FileSystemError");
  },

  "moves a dangling symlink": async (fs) => {
    await fs.symlink("nowhere", "/a");
    await fs.rename("/a", "/b");
    assertEqual(await fs.readlink("/b"), "nowhere");
    assertEqual(await fs.readdir("/"), [{ name: "b", type: "symlink" }]);
  },

  "replaces a symlink, not its target": async (fs) => {
    await fs.writeFile("/target", "old");
    await fs.symlink("target", "/link");
    await fs.writeFile("/new", "new");
    await fs.rename("/new", "/link");
    assertEqual((await fs.lstat("/link")).type, "file");
    assertBytes(await fs.readFile("/link"), "new");
    assertBytes(await fs.readFile("/target"), "old");
  },

  "replaces a file by a symlink": async (fs) => {
    await fs.writeFile("/target", "x");
    await fs.writeFile("/b", "old");
    await fs.symlink("target", "/a");
    await fs.rename("/a", "/b");
    assertEqual(await fs.readlink("/b"), "target");
    assertBytes(await fs.readFile("/b"), "x");
  },

  "moves through symlinks in the middle of both names": async (fs) => {
    await fs.mkdir("/one");
    await fs.mkdir("/two");
    await fs.symlink("one", "/from");
    await fs.symlink("/two", "/to");
    await fs.writeFile("/one/file", "x");
    await fs.rename("/from/file", "/to/file");
    assertEqual(await fs.readdir("/one"), []);
    assertBytes(await fs.readFile("/two/file"), "x");
  },

  "moves and removes a symlink on the path to itself": async (fs) => {
    await fs.symlink(".", "/here");
    await fs.rename("/here", "/here/there");
    assertEqual(await fs.readdir("/"), [{ name: "there", type: "symlink" }]);
    await fs.remove("/there/there");
    assertEqual(await fs.readdir("/"), []);
  },

  "refuses to move a file over its own directory": async (fs) => {
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/file", "x");
    await fs.symlink("file", "/a/link");
    await assertRejects(fs.rename("/a/file", "/a"), "EISDIR", "FileSystemError");
    await assertRejects(fs.rename("/a/link", "/a"), "EISDIR", "FileSystemError");
    await assertRejects(fs.rename("/a/b", "/a"), "ENOTEMPTY", "FileSystemError");
    assertBytes(await fs.readFile("/a/link"), "x");
  },

  "frees the old name": async (fs) => {
    await fs.mkdir("/a");
    await fs.writeFile("/a/file", "moved");
    await fs.rename("/a", "/b");
    await fs.mkdir("/a");
    await fs.writeFile("/a/file", "new");
    assertBytes(await fs.readFile("/b/file"), "moved");
    assertBytes(await fs.readFile("/a/file"), "new");
  },
};
