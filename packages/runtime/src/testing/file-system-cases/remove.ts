import type { FileSystem } from "../../ports/file-system.ts";
import { assertBytes, assertEqual, assertRejects, type CaseTable } from "../contract.ts";

export const removeCases: CaseTable<FileSystem> = {
  "removes a file": async (fs) => {
    await fs.writeFile("/file", "x");
    await fs.remove("/file");
    assertEqual(await fs.readdir("/"), []);
    await assertRejects(fs.readFile("/file"), "ENOENT", "FileSystemError");
  },

  "removes an empty directory without recursive": async (fs) => {
    await fs.mkdir("/empty");
    await fs.remove("/empty");
    assertEqual(await fs.readdir("/"), []);
  },

  "removes a non-empty directory only with recursive": async (fs) => {
    await fs.mkdir("/d/deep", { recursive: true });
    await fs.writeFile("/d/deep/file", "x");
    await assertRejects(fs.remove("/d"), "ENOTEMPTY", "FileSystemError");
    await assertRejects(fs.remove("/d", { force: true }), "ENOTEMPTY", "FileSystemError");
    assertBytes(await fs.readFile("/d/deep/file"), "x");

    await fs.remove("/d", { recursive: true });
    assertEqual(await fs.readdir("/"), []);
    await assertRejects(fs.stat("/d/deep/file"), "ENOENT", "FileSystemError");
  },

  "keeps neighbours with the same prefix": async (fs) => {
    await fs.mkdir("/d");
    await fs.mkdir("/d2");
    await fs.writeFile("/d2/file", "x");
    await fs.remove("/d", { recursive: true });
    assertBytes(await fs.readFile("/d2/file"), "x");
  },

  "refuses to remove a missing path unless forced": async (fs) => {
    for (const path of ["/nope", "/nope/below"]) {
      await assertRejects(fs.remove(path), "ENOENT", "FileSystemError");
      await assertRejects(fs.remove(path, { recursive: true }), "ENOENT", "FileSystemError");
      await fs.remove(path, { force: true });
      await fs.remove(path, { force: true, recursive: true });
    }
  },

  "removes a symlink and never its target": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/file", "x");
    for (const target of ["d", "d/file", "/d", "nowhere"]) {
      await fs.symlink(target, "/link");
      await fs.remove("/link");
      await fs.symlink(target, "/link");
      await fs.remove("/link", { recursive: true, force: true });
    }
    assertEqual(await fs.readdir("/"), [{ name: "d", type: "directory" }]);
    assertBytes(await fs.readFile("/d/file"), "x");
  },

  "removes the symlinks of a tree without going through them": async (fs) => {
    await fs.mkdir("/outside");
    await fs.writeFile("/outside/file", "x");
    await fs.mkdir("/d");
    await fs.symlink("../outside", "/d/link");
    await fs.symlink("loop", "/d/loop");
    await fs.remove("/d", { recursive: true });
    assertEqual(await fs.readdir("/"), [{ name: "outside", type: "directory" }]);
    assertBytes(await fs.readFile("/outside/file"), "x");
  },

  "removes through a symlink in the middle": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/file", "x");
    await fs.symlink("d", "/link");
    await fs.remove("/link/file");
    assertEqual(await fs.readdir("/d"), []);
    assertEqual((await fs.lstat("/link")).type, "symlink");
  },

  "makes a removed directory empty when it is created again": async (fs) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/old", "x");
    await fs.remove("/d", { recursive: true });
    await fs.mkdir("/d");
    assertEqual(await fs.readdir("/d"), []);
  },

  "allows a directory at the path of a removed file, and vice versa": async (fs) => {
    await fs.writeFile("/a", "x");
    await fs.remove("/a");
    await fs.mkdir("/a");
    await fs.writeFile("/a/b", "y");
    assertBytes(await fs.readFile("/a/b"), "y");
    await fs.remove("/a", { recursive: true });
    await fs.writeFile("/a", "z");
    assertBytes(await fs.readFile("/a"), "z");
  },
};
