import { MemoryFileSystem } from "@robota/runtime/virtual";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createFileTree, type FileTreeStore } from "./file-tree.ts";

let fs: MemoryFileSystem;
beforeEach(async () => {
  fs = new MemoryFileSystem();
  await fs.mkdir("/w/src/deep", { recursive: true });
  await fs.writeFile("/w/readme.md", "");
  await fs.writeFile("/w/src/a.ts", "");
  await fs.writeFile("/w/src/deep/b.ts", "");
});

const names = (tree: FileTreeStore): string[] =>
  tree.get().rows.map(({ name, level }) => `${"  ".repeat(level - 1)}${name}`);

describe("a file tree", () => {
  it("lists directories first, and reads only open ones", async () => {
    const readdir = vi.spyOn(fs, "readdir");
    const tree = createFileTree(fs, "/w");
    tree.subscribe(() => undefined);
    await expect.poll(() => names(tree)).toEqual(["src", "readme.md"]);
    expect(readdir.mock.calls).toEqual([["/w"]]);
    tree.toggle("/w/src");
    await expect.poll(() => names(tree)).toEqual(["src", "  deep", "  a.ts", "readme.md"]);
    tree.toggle("/w/src");
    expect(names(tree)).toEqual(["src", "readme.md"]);
  });

  it("opens the parents of a file", async () => {
    const tree = createFileTree(fs, "/w");
    tree.subscribe(() => undefined);
    tree.reveal("/w/src/deep/b.ts");
    await expect
      .poll(() => names(tree))
      .toEqual(["src", "  deep", "    b.ts", "  a.ts", "readme.md"]);
  });

  it("follows changes of watchable files while it has subscribers", async () => {
    const listeners = new Set<() => void>();
    const watched = Object.assign(fs, {
      watch(listener: () => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const tree = createFileTree(watched, "/w");
    const leave = tree.subscribe(() => undefined);
    await expect.poll(() => tree.get().isLoaded).toBe(true);
    await fs.writeFile("/w/new.md", "");
    for (const listener of listeners) listener();
    await expect.poll(() => names(tree)).toEqual(["src", "new.md", "readme.md"]);
    leave();
    expect(listeners.size).toBe(0);
  });

  it("drops an open directory that was deleted, and reports a deleted root", async () => {
    const tree = createFileTree(fs, "/w");
    tree.subscribe(() => undefined);
    tree.toggle("/w/src");
    await expect.poll(() => names(tree)).toContain("  a.ts");
    await fs.remove("/w/src", { recursive: true });
    tree.refresh();
    await expect.poll(() => names(tree)).toEqual(["readme.md"]);
    await fs.remove("/w", { recursive: true });
    tree.refresh();
    await expect.poll(() => tree.get().failure).toMatchObject({ code: "ENOENT" });
  });
});
