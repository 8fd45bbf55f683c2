import type { FileSystem } from "../../ports/file-system.ts";
import { assertBytes, assertEqual, assertRejects, type CaseTable } from "../contract.ts";

export const directoryCases: CaseTable<FileSystem> = {
  "lists the direct children with their types": async (fs) => {
    await fs.mkdir("/d/deep", { recursive: true });
    await fs.writeFile("/d/deep/hidden", "x");
    await fs.writeFile("/d/file", "x");
    await fs.symlink("deep", "/d/link");
    assertEqual(await fs.readdir("/d"), [
      { name: "deep", type: "directory" },
      { name: "file", type: "file" },
      { name: "link", type: "symlink" },
    ]);
  },

  "sorts a listing by code units, not by locale, number or code point": async (fs) => {
    const sorted = ["-", "10", "9", "B", "_", "a", "b", "é", "\u{1F600}", "\uFF5E"];
    for (const name of sorted.toReversed()) await fs.writeFile(`/${name}`, "");
    assertEqual(
      (await fs.readdir("/")).map((entry) => entry.name),
      sorted,
    );
  },

  "lists an empty directory as nothing": async (fs) => {
    await fs.mkdir("/empty");
    assertEqual(await fs.readdir("/empty"), []);
  },

  "returns a listing that its caller may modify": async (fs) => {
    await fs.writeFile("/file", "x");
    (await fs.readdir("/")).length = 0;
    assertEqual((await fs.readdir("/")).length, 1);
  },

  "refuses to list a file": async (fs) => {
    await fs.writeFile("/file", "x");
    await assertRejects(fs.readdir("/file"), "ENOTDIR", "FileSystemError");
  },

  "makes a directory with mode 755, and its missing parents when asked": async (fs) => {
    await fs.mkdir("/one");
    await fs.mkdir("/two/deep/er", { recursive: true });
    for (const path of ["/one", "/two", "/two/deep", "/two/deep/er"]) {
      const { type, mode } = await fs.stat(path);
      assertEqual([type, mode], ["directory", 0o755], path);
    }
  },

  "makes no parents unless asked": async (fs) => {
    await assertRejects(fs.mkdir("/no/directory"), "ENOENT", "FileSystemError");
    assertEqual(await fs.readdir("/"), []);
  },

  "refuses to create an existing path": async (fs) => {
    await fs.mkdir("/directory");
    await fs.writeFile("/file", "x");
    await fs.symlink("nowhere", "/dangling");
    for (const path of ["/directory", "/file", "/dangling"]) {
      await assertRejects(fs.mkdir(path), "EEXIST", "FileSystemError");
    }
    await assertRejects(fs.mkdir("/file", { recursive: true }), "EEXIST", "FileSystemError");
    assertBytes(await fs.readFile("/file"), "x");
  },

  "accepts an existing directory with recursive, and changes nothing in it": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/file", "x");
    await fs.chmod("/d", 0o700);
    await fs.symlink("d", "/link");
    await fs.mkdir("/d", { recursive: true });
    await fs.mkdir("/link", { recursive: true });
    await fs.mkdir("/", { recursive: true });
    assertEqual((await fs.stat("/d")).mode, 0o700);
    assertBytes(await fs.readFile("/d/file"), "x");
  },

  "refuses to make a directory below a file": async (fs) => {
    await fs.writeFile("/file", "x");
    await assertRejects(fs.mkdir("/file/d"), "ENOTDIR", "FileSystemError");
    await assertRejects(fs.mkdir("/file/d/e", { recursive: true }), "ENOTDIR", "FileSystemError");
    assertEqual(await fs.readdir("/"), [{ name: "file", type: "file" }]);
  },

  "makes missing parents inside the directory that a symlink leads to": async (fs) => {
    await fs.mkdir("/real");
    await fs.symlink("real", "/link");
    await fs.mkdir("/link/a/b", { recursive: true });
    assertEqual((await fs.stat("/real/a/b")).type, "directory");
  },

  "makes no directory at a dangling symlink": async (fs) => {
    for (const target of ["nowhere", "no/where"]) {
      await fs.symlink(target, "/link");
      for (const path of ["/link", "/link/d"]) {
        await assertRejects(fs.mkdir(path, { recursive: true }), "EEXIST", "FileSystemError");
      }
      await fs.remove("/link");
    }
    assertEqual(await fs.readdir("/"), []);
  },

  "keeps the parents created before a name that is too long": async (fs) => {
    const path = `/a/b/${"n".repeat(256)}/c`;
    await assertRejects(fs.mkdir(path, { recursive: true }), "ENAMETOOLONG", "FileSystemError");
    assertEqual((await fs.stat("/a/b")).type, "directory");
    await fs.writeFile("/a/b/file", "x");
    assertEqual(await fs.readdir("/a/b"), [{ name: "file", type: "file" }]);
  },

  "keeps 100 levels of directories": async (fs) => {
    const path = "/d".repeat(100);
    await fs.mkdir(path, { recursive: true });
    await fs.writeFile(`${path}/file`, "deep");
    assertBytes(await fs.readFile(`${path}/file`), "deep");
    await fs.remove("/d", { recursive: true });
    assertEqual(await fs.readdir("/"), []);
  },
};
