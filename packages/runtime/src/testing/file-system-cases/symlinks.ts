import type { FileSystem } from "../../ports/file-system.ts";
import { assertBytes, assertEqual, assertRejects, type CaseTable } from "../contract.ts";

/** `/0` leads to `/1` and so on, up to the file `/<length>`. */
async function chain(fs: FileSystem, length: number): Promise<void> {
  await fs.writeFile(`/${length}`, "end");
  for (let index = 0; index < length; index++) await fs.symlink(`${index + 1}`, `/${index}`);
}

export const symlinkCases: CaseTable<FileSystem> = {
  "keeps a target as given, existing or not": async (fs) => {
    for (const [index, target] of ["../x/./y", "/nowhere", "a b\nc", "-", "é/"].entries()) {
      await fs.symlink(target, `/link${index}`);
      assertEqual(await fs.readlink(`/link${index}`), target);
    }
  },

  "refuses a symlink at an existing path, or in a missing directory": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/file", "x");
    await fs.symlink("nowhere", "/dangling");
    for (const path of ["/d", "/file", "/dangling"]) {
      await assertRejects(fs.symlink("t", path), "EEXIST", "FileSystemError");
    }
    await assertRejects(fs.symlink("t", "/no/link"), "ENOENT", "FileSystemError");
    await assertRejects(fs.symlink("t", "/file/link"), "ENOTDIR", "FileSystemError");
    assertEqual(await fs.readlink("/dangling"), "nowhere");
  },

  "refuses to read the target of anything but a symlink": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/file", "x");
    await assertRejects(fs.readlink("/d"), "EINVAL", "FileSystemError");
    await assertRejects(fs.readlink("/file"), "EINVAL", "FileSystemError");
  },

  "reports no path as canonical that has a symlink or is not normalised": async (fs) => {
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/b/file", "x");
    await fs.symlink("a", "/way");
    await fs.symlink("b/file", "/a/link");
    await fs.symlink("nowhere", "/dangling");
    const winding = ["/way", "/way/b", "/way/b/file", "/way/nope", "/a/link", "/dangling"];
    const unclear = ["/a/../way", "/a/./b", "/a//b", "/a/", "/nope/../a", "/nope//a", "a", "xa/b"];
    for (const path of [...winding, ...unclear]) {
      assertEqual(fs.isCanonicalPath?.(path) ?? false, false);
      assertEqual(fs.statCanonical?.(path), undefined);
      assertEqual(fs.readdirCanonical?.(path), undefined);
    }
    for (const path of ["/a", "/a/b/file"]) {
      const seen = fs.statCanonical?.(path);
      if (seen) assertEqual(seen, await fs.stat(path));
    }
    const listed = fs.readdirCanonical?.("/a");
    if (listed) assertEqual(listed, await fs.readdir("/a"));
    for (const path of ["/nope", "/a/b/file/nope"]) {
      assertEqual(fs.statCanonical?.(path), undefined);
      assertEqual(fs.readdirCanonical?.(path), undefined);
    }
    assertEqual(fs.readdirCanonical?.("/a/b/file"), undefined);
    await fs.remove("/way");
    await fs.mkdir("/way/b", { recursive: true });
    await fs.rename("/a/link", "/way/b/c");
    assertEqual(fs.isCanonicalPath?.("/way/b/c") ?? false, false);
  },

  "follows a relative target from where the symlink is": async (fs) => {
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/file", "right");
    await fs.writeFile("/file", "wrong");
    await fs.symlink("../file", "/a/b/link");
    assertBytes(await fs.readFile("/a/b/link"), "right");
  },

  "follows an absolute target, also one with dots and slashes to spare": async (fs) => {
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/file", "x");
    await fs.symlink("/a//b/.././file", "/link");
    assertBytes(await fs.readFile("/link"), "x");
  },

  "resolves a target that ends in a slash or a dot as a directory": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/file", "x");
    for (const [index, end] of ["/", "//", "/.", "/./"].entries()) {
      await fs.symlink(`d/file${end}`, `/file${index}`);
      await fs.symlink(`d${end}`, `/d${index}`);
      const link = `/file${index}`;
      await assertRejects(fs.readFile(link), "ENOTDIR", "FileSystemError");
      await assertRejects(fs.stat(link), "ENOTDIR", "FileSystemError");
      await assertRejects(fs.realpath(link), "ENOTDIR", "FileSystemError");
      await assertRejects(fs.chmod(link, 0o600), "ENOTDIR", "FileSystemError");
      await assertRejects(fs.writeFile(link, "y"), "ENOTDIR", "FileSystemError");
      await assertRejects(fs.appendFile(link, "y"), "ENOTDIR", "FileSystemError");
      assertEqual((await fs.lstat(link)).type, "symlink");
      assertBytes(await fs.readFile(`/d${index}/file`), "x");
      assertEqual(await fs.realpath(`/d${index}`), "/d");
    }
    await fs.symlink("new/", "/new-link");
    await assertRejects(fs.writeFile("/new-link", "x"), "ENOENT", "FileSystemError");
    await assertRejects(fs.stat("/new"), "ENOENT", "FileSystemError");
  },

  "follows symlinks in the middle for everything": async (fs) => {
    await fs.mkdir("/real");
    await fs.symlink("real", "/one");
    await fs.symlink("/one", "/two");
    await fs.writeFile("/two/file", "x");
    await fs.appendFile("/two/file", "y");
    await fs.mkdir("/two/d");
    await fs.symlink("file", "/two/link");
    assertBytes(await fs.readFile("/real/file"), "xy");
    assertBytes(await fs.readFile("/two/link"), "xy");
    assertEqual(await fs.readlink("/two/link"), "file");
    assertEqual((await fs.lstat("/two/link")).type, "symlink");
    assertEqual((await fs.lstat("/two/file")).type, "file");
    assertEqual(
      (await fs.readdir("/two")).map((entry) => entry.name),
      ["d", "file", "link"],
    );
  },

  "writes and appends through a symlink, which stays": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/file", "old");
    await fs.chmod("/d/file", 0o600);
    await fs.symlink("d/file", "/link");
    await fs.writeFile("/link", "new");
    await fs.appendFile("/link", "er");
    assertEqual(await fs.readlink("/link"), "d/file");
    assertBytes(await fs.readFile("/d/file"), "newer");
    assertEqual((await fs.stat("/d/file")).mode, 0o600);
  },

  "creates the target when it writes through a dangling symlink": async (fs) => {
    await fs.mkdir("/d");
    await fs.symlink("d/one", "/write");
    await fs.symlink("/d/two", "/append");
    await fs.writeFile("/write", "1");
    await fs.appendFile("/append", "2");
    assertBytes(await fs.readFile("/d/one"), "1");
    assertBytes(await fs.readFile("/d/two"), "2");
    assertEqual((await fs.lstat("/write")).type, "symlink");
    await fs.symlink("no/where", "/lost");
    await assertRejects(fs.writeFile("/lost", "x"), "ENOENT", "FileSystemError");
  },

  "treats a symlink to a directory as a directory": async (fs) => {
    await fs.mkdir("/d");
    await fs.symlink("d", "/link");
    assertEqual(await fs.readdir("/link"), []);
    await assertRejects(fs.readFile("/link"), "EISDIR", "FileSystemError");
    await assertRejects(fs.writeFile("/link", "x"), "EISDIR", "FileSystemError");
  },

  "refuses to go through a symlink to a file": async (fs) => {
    await fs.writeFile("/file", "x");
    await fs.symlink("file", "/link");
    await assertRejects(fs.readFile("/link/below"), "ENOTDIR", "FileSystemError");
    await assertRejects(fs.readdir("/link"), "ENOTDIR", "FileSystemError");
    await assertRejects(fs.writeFile("/link/below", "x"), "ENOTDIR", "FileSystemError");
  },

  "finds nothing behind a dangling symlink, but the symlink itself": async (fs) => {
    await fs.symlink("nowhere", "/link");
    await assertRejects(fs.readFile("/link"), "ENOENT", "FileSystemError");
    await assertRejects(fs.stat("/link"), "ENOENT", "FileSystemError");
    await assertRejects(fs.realpath("/link"), "ENOENT", "FileSystemError");
    await assertRejects(fs.readdir("/link"), "ENOENT", "FileSystemError");
    await assertRejects(fs.chmod("/link", 0o600), "ENOENT", "FileSystemError");
    await assertRejects(fs.utimes("/link", 1), "ENOENT", "FileSystemError");
    assertEqual((await fs.lstat("/link")).type, "symlink");
  },

  "stops at a loop with ELOOP, wherever it is met": async (fs) => {
    await fs.symlink("b", "/a");
    await fs.symlink("a", "/b");
    await fs.symlink("self", "/self");
    await fs.symlink("/deeper/x", "/deeper");
    for (const path of ["/a", "/self", "/deeper", "/a/below"]) {
      await assertRejects(fs.readFile(path), "ELOOP", "FileSystemError");
      await assertRejects(fs.stat(path), "ELOOP", "FileSystemError");
      await assertRejects(fs.readdir(path), "ELOOP", "FileSystemError");
      await assertRejects(fs.realpath(path), "ELOOP", "FileSystemError");
      await assertRejects(fs.writeFile(path, "x"), "ELOOP", "FileSystemError");
      await assertRejects(fs.appendFile(path, "x"), "ELOOP", "FileSystemError");
    }
    await assertRejects(fs.lstat("/a/below"), "ELOOP", "FileSystemError");
    await assertRejects(fs.mkdir("/a/below"), "ELOOP", "FileSystemError");
    assertEqual((await fs.lstat("/self")).type, "symlink");
    assertEqual(await fs.readlink("/a"), "b");
  },

  "follows a chain of 20 symlinks": async (fs) => {
    await chain(fs, 20);
    assertBytes(await fs.readFile("/0"), "end");
    assertEqual(await fs.realpath("/0"), "/20");
  },

  "gives up on a chain of 100 symlinks with ELOOP": async (fs) => {
    await chain(fs, 100);
    await assertRejects(fs.readFile("/0"), "ELOOP", "FileSystemError");
    assertBytes(await fs.readFile("/99"), "end");
  },

  "resolves every symlink of a path": async (fs) => {
    await fs.mkdir("/real/deep", { recursive: true });
    await fs.writeFile("/real/deep/file", "x");
    await fs.symlink("/real", "/link");
    await fs.symlink("../deep/file", "/real/deep/again");
    assertEqual(await fs.realpath("/link/deep/again"), "/real/deep/file");
    assertEqual(await fs.realpath("/link"), "/real");
    assertEqual(await fs.realpath("/real/./deep/../deep//file"), "/real/deep/file");
    assertEqual(await fs.realpath("/"), "/");
  },
};
