import { expect, it } from "vitest";
import { FileSystemError } from "../errors.ts";
import type { FileSystem } from "../ports/file-system.ts";
import { treeOf } from "../../../../test/support/tree-of.ts";
import { MemoryFileSystem } from "./memory-file-system.ts";
import { OverlayFileSystem } from "./overlay-file-system.ts";

const text = async (fs: FileSystem, path: string): Promise<string> =>
  new TextDecoder().decode(await fs.readFile(path));

const project = (): MemoryFileSystem =>
  new MemoryFileSystem({
    files: { "/src/a.ts": "a", "/src/b.ts": "b", "/src/deep/c.ts": "c", "/readme": "read me" },
    now: () => 1000,
  });

/** `fs`, which records its calls in `calls`. */
function watched(fs: FileSystem, calls: string[]): FileSystem {
  return new Proxy(fs, {
    get(target, name: keyof FileSystem) {
      if (!(name in target)) return undefined;
      return (...args: Parameters<NonNullable<FileSystem[typeof name]>>) => {
        calls.push(name);
        return Reflect.apply(target[name]!, target, args);
      };
    },
  });
}

/** `fs` behind asynchronous calls, without synchronous answers. */
function elsewhere(fs: FileSystem): FileSystem {
  return new Proxy(fs, {
    get(target, name: Exclude<keyof FileSystem, "isCanonicalPath">) {
      if (!(name in target) || /^(?:isCanonicalPath|statCanonical|readdirCanonical)$/.test(name))
        return undefined;
      return async (...args: Parameters<NonNullable<FileSystem[typeof name]>>) => {
        await Promise.resolve();
        return Reflect.apply(target[name]!, target, args);
      };
    },
  });
}

it("reads through to the base and keeps its own writes", async () => {
  const base = project();
  const overlay = new OverlayFileSystem(base);
  await overlay.writeFile("/src/a.ts", "changed");
  await overlay.writeFile("/src/new.ts", "new");
  await overlay.appendFile("/readme", " twice");
  await overlay.remove("/src/deep", { recursive: true });

  expect(await text(overlay, "/src/a.ts")).toBe("changed");
  expect(await text(overlay, "/src/b.ts")).toBe("b");
  expect(await text(overlay, "/readme")).toBe("read me twice");
  expect((await overlay.readdir("/src")).map((entry) => entry.name)).toEqual([
    "a.ts",
    "b.ts",
    "new.ts",
  ]);
  expect(await treeOf(base)).toEqual(await treeOf(project()));
});

it("shows changes of the base wherever it has none itself", async () => {
  const base = project();
  const overlay = new OverlayFileSystem(base);
  await overlay.writeFile("/src/a.ts", "mine");
  await base.writeFile("/src/a.ts", "theirs");
  await base.writeFile("/src/b.ts", "theirs");
  await base.writeFile("/src/later.ts", "theirs");
  expect(await text(overlay, "/src/a.ts")).toBe("mine");
  expect(await text(overlay, "/src/b.ts")).toBe("theirs");
  expect(await text(overlay, "/src/later.ts")).toBe("theirs");
});

it("keeps its changes in a directory deleted from the base, and does not search for it elsewhere", async () => {
  const base = project();
  const overlay = new OverlayFileSystem(base);
  await overlay.writeFile("/src/new", "new");
  await base.rename("/src", "/away");
  expect(await overlay.readdir("/src")).toEqual([{ name: "new", type: "file" }]);
  await base.symlink("/away", "/src");
  expect(await overlay.readdir("/src")).toEqual([{ name: "new", type: "file" }]);
  await expect(overlay.readFile("/src/a.ts")).rejects.toMatchObject({ code: "ENOENT" });
  expect(await text(overlay, "/src/new")).toBe("new");
});

it("keeps a removed entry removed, also when the base recreates it", async () => {
  const base = project();
  const overlay = new OverlayFileSystem(base);
  await overlay.writeFile("/src/temporary", "x");
  await overlay.remove("/src/temporary");
  await base.writeFile("/src/temporary", "somebody's");
  await expect(overlay.stat("/src/temporary")).rejects.toMatchObject({ code: "ENOENT" });
});

it("shows nothing of the base in a directory that was removed and recreated", async () => {
  const overlay = new OverlayFileSystem(project());
  await overlay.remove("/src", { recursive: true });
  await overlay.mkdir("/src/deep", { recursive: true });
  expect(await overlay.readdir("/src/deep")).toEqual([]);
  await overlay.rename("/src", "/moved");
  await overlay.mkdir("/src");
  expect(await overlay.readdir("/src")).toEqual([]);
});

it("moves a directory of the base without reading it", async () => {
  const calls: string[] = [];
  const overlay = new OverlayFileSystem(watched(project(), calls));
  await overlay.rename("/src", "/lib");
  expect(calls).not.toContain("readFile");
  expect(calls).not.toContain("readdir");

  await overlay.writeFile("/lib/deep/c.ts", "changed");
  await overlay.rename("/lib/deep", "/deep");
  expect(await text(overlay, "/lib/a.ts")).toBe("a");
  expect(await text(overlay, "/deep/c.ts")).toBe("changed");
  await expect(overlay.readFile("/src/a.ts")).rejects.toMatchObject({ code: "ENOENT" });
});

it("sets mode and time of a file of the base without reading it", async () => {
  const calls: string[] = [];
  const base = project();
  const overlay = new OverlayFileSystem(watched(base, calls));
  await overlay.chmod("/readme", 0o600);
  await overlay.utimes("/src/a.ts", 5000);
  const changes = await overlay.changes();
  expect(calls).not.toContain("readFile");
  expect(changes.map(({ path, kind }) => [path, kind])).toEqual([
    ["/readme", "modified"],
    ["/src/a.ts", "modified"],
  ]);
  expect([changes[0]!.before!.mode, changes[0]!.after!.mode]).toEqual([0o644, 0o600]);

  await overlay.commit();
  expect((await base.stat("/readme")).mode).toBe(0o600);
  expect((await base.stat("/src/a.ts")).mtimeMs).toBe(5000);
  expect(calls).not.toContain("writeFile");
});

it("follows symlinks of the base to the overlay's version of their targets", async () => {
  const base = project();
  await base.symlink("src/a.ts", "/link");
  await base.symlink("/src", "/directory");
  const overlay = new OverlayFileSystem(base);
  await overlay.writeFile("/link", "through the link");
  await overlay.writeFile("/directory/new.ts", "new");
  await overlay.rename("/src", "/moved");
  await expect(overlay.readFile("/link")).rejects.toMatchObject({ code: "ENOENT" });
  await overlay.symlink("moved", "/src");
  expect(await text(overlay, "/link")).toBe("through the link");
  expect(await overlay.realpath("/directory/new.ts")).toBe("/moved/new.ts");
});

// A base in memory reports at once whether a symlink is on a path; others are asynchronous.
it.each(["a base in memory", "a base elsewhere"])(
  "follows a symlink created in the base after a path was read: %s",
  async (kind) => {
    const base = project();
    const overlay = new OverlayFileSystem(kind === "a base in memory" ? base : elsewhere(base));
    await overlay.writeFile("/src/a.ts", "changed");
    await base.mkdir("/lib");
    await base.writeFile("/lib/a.ts", "lib");
    expect(await text(overlay, "/lib/a.ts")).toBe("lib");
    expect(await overlay.stat("/lib/a.ts")).toMatchObject({ size: 3 });

    await base.remove("/lib", { recursive: true });
    await base.symlink("src", "/lib");
    expect(await text(overlay, "/lib/a.ts")).toBe("changed");
    expect(await overlay.stat("/lib/a.ts")).toMatchObject({ size: 7 });
    expect(await overlay.realpath("/lib/b.ts")).toBe("/src/b.ts");
    expect(await overlay.lstat("/lib")).toMatchObject({ type: "symlink" });
    await overlay.writeFile("/src/later.ts", "x");
    expect((await overlay.readdir("/lib")).map(({ name }) => name)).toContain("later.ts");
  },
);

it("queries the base once for unchanged entries", async () => {
  const calls: string[] = [];
  const base = project();
  await base.symlink("src", "/link");
  const overlay = new OverlayFileSystem(watched(base, calls));
  await overlay.writeFile("/src/a.ts", "changed");
  calls.length = 0;
  await overlay.readFile("/src/deep/c.ts");
  await overlay.stat("/src/nope").catch(() => undefined);
  expect(calls.filter((name) => name !== "isCanonicalPath")).toEqual(["readFile", "stat"]);
});

it("shows a change to reads that start after it was requested", async () => {
  const overlay = new OverlayFileSystem(project());
  const writing = overlay.writeFile("/src/deep/c.ts", "changed");
  const reading = text(overlay, "/src/deep/c.ts");
  await writing;
  expect(await reading).toBe("changed");
});

it("lists changes by path, each with both versions", async () => {
  const overlay = new OverlayFileSystem(project());
  await overlay.writeFile("/src/b.ts", "longer");
  await overlay.rename("/src/deep", "/src/far");
  await overlay.symlink("src", "/link");
  await overlay.remove("/readme");
  await overlay.mkdir("/readme");

  const changes = await overlay.changes();
  await overlay.writeFile("/src/b.ts", "later");
  const answers = await Promise.all(
    changes.map(async ({ path, kind, before, after }) => {
      const sides = [before, after].map(async (side) =>
        side?.read ? new TextDecoder().decode(await side.read()) : (side?.target ?? side?.type),
      );
      return [path, kind, ...(await Promise.all(sides))];
    }),
  );
  expect(answers).toEqual([
    ["/link", "created", undefined, "src"],
    ["/readme", "modified", "read me", "directory"],
    ["/src/b.ts", "modified", "b", "longer"],
    ["/src/deep", "deleted", "directory", undefined],
    ["/src/deep/c.ts", "deleted", "c", undefined],
    ["/src/far", "created", undefined, "directory"],
    ["/src/far/c.ts", "created", undefined, "c"],
  ]);
});

it("does not count reverted changes", async () => {
  const overlay = new OverlayFileSystem(project());
  await overlay.writeFile("/src/a.ts", "other");
  await overlay.writeFile("/src/a.ts", "a");
  await overlay.writeFile("/temporary", "x");
  await overlay.remove("/temporary");
  await overlay.rename("/src", "/away");
  await overlay.rename("/away", "/src");
  await overlay.chmod("/readme", 0o600);
  await overlay.chmod("/readme", 0o644);
  expect(await overlay.changes()).toEqual([]);
});

it("finds its changes without scanning the base", async () => {
  const files = Array.from({ length: 5000 }, (_, index) => [`/many/${index}/file`, "x"] as const);
  const calls: string[] = [];
  const overlay = new OverlayFileSystem(
    watched(new MemoryFileSystem({ files: Object.fromEntries(files) }), calls),
  );
  await overlay.writeFile("/many/7/file", "changed");
  calls.length = 0;
  const [change, ...others] = await overlay.changes();
  expect([change!.path, others]).toEqual(["/many/7/file", []]);
  expect(calls.length).toBeLessThan(10);
});

it("discards its changes on request", async () => {
  const overlay = new OverlayFileSystem(project());
  await overlay.writeFile("/src/a.ts", "changed");
  await overlay.remove("/readme");
  await overlay.discard();
  expect(await treeOf(overlay)).toEqual(await treeOf(project()));
  expect(await overlay.changes()).toEqual([]);
});

it("forks into two independent overlays", async () => {
  const overlay = new OverlayFileSystem(project());
  await overlay.appendFile("/log", "one,");
  await overlay.appendFile("/log", "two,");
  await overlay.appendFile("/log", "three,");
  const fork = overlay.fork();
  // Repeated appends of both where the shared bytes end.
  for (const fs of [overlay, fork]) {
    const name = fs === fork ? "fork" : "overlay";
    for (const round of [1, 2, 3]) await fs.appendFile("/log", `${name}${round},`);
    await fs.remove(fs === fork ? "/src/a.ts" : "/src/b.ts");
  }
  expect(await text(overlay, "/log")).toBe("one,two,three,overlay1,overlay2,overlay3,");
  expect(await text(fork, "/log")).toBe("one,two,three,fork1,fork2,fork3,");
  expect(await text(overlay, "/src/a.ts")).toBe("a");
  expect(await text(fork, "/src/b.ts")).toBe("b");
});

it("forks before or after a concurrent operation, never in the middle", async () => {
  const overlay = new OverlayFileSystem(project());
  const writing = overlay.writeFile("/src/a.ts", "written");
  const fork = overlay.fork();
  await writing;
  await overlay.writeFile("/src/b.ts", "later");
  expect(await text(overlay, "/src/a.ts")).toBe("written");
  expect(["a", "written"]).toContain(await text(fork, "/src/a.ts"));
  expect(await text(fork, "/src/b.ts")).toBe("b");
});

it("commits explicit modes and times, and the times of moved entries", async () => {
  const base = project();
  const overlay = new OverlayFileSystem(base);
  await overlay.utimes("/src/a.ts", 5000);
  await overlay.rename("/src/a.ts", "/moved.ts");
  await overlay.rename("/src/b.ts", "/moved-too.ts");
  await overlay.writeFile("/script", "#!");
  await overlay.chmod("/script", 0o755);
  await overlay.remove("/src/deep/c.ts");
  await overlay.chmod("/src/deep", 0o500);
  await overlay.utimes("/src/deep", 7000);
  await overlay.commit();

  expect(await base.stat("/moved.ts")).toMatchObject({ mtimeMs: 5000 });
  expect(await base.stat("/moved-too.ts")).toMatchObject({ mtimeMs: 1000 });
  expect(await base.stat("/script")).toMatchObject({ mode: 0o755 });
  expect(await base.stat("/src/deep")).toMatchObject({ mode: 0o500, mtimeMs: 7000 });
  expect(await base.readdir("/src/deep")).toEqual([]);
});

it("commits a directory that replaced a symlink, whatever its target", async () => {
  const base = new MemoryFileSystem({ files: { "/real/same": "1", "/real/other": "2" } });
  await base.symlink("/real", "/link");
  await base.symlink("loop/on", "/loop");
  const overlay = new OverlayFileSystem(base);
  for (const name of ["/link", "/loop"]) {
    await overlay.remove(name);
    await overlay.mkdir(`${name}/on`, { recursive: true });
    await overlay.writeFile(`${name}/same`, "1");
  }

  const created = (await overlay.changes()).filter(({ kind }) => kind === "created");
  expect(created.map(({ path }) => path)).toEqual([
    "/link/on",
    "/link/same",
    "/loop/on",
    "/loop/same",
  ]);
  const expected = Object.keys(await treeOf(overlay));
  await overlay.commit();
  expect(Object.keys(await treeOf(base))).toEqual(expected);
});

it("commits files that swapped places", async () => {
  const base = project();
  const overlay = new OverlayFileSystem(base);
  await overlay.rename("/src/a.ts", "/free");
  await overlay.rename("/src/b.ts", "/src/a.ts");
  await overlay.rename("/free", "/src/b.ts");
  await overlay.commit();
  expect([await text(base, "/src/a.ts"), await text(base, "/src/b.ts")]).toEqual(["b", "a"]);
});

it("keeps moved entries in the base at every moment of a commit, wherever it is cut", async () => {
  for (let allowed = 0; ; allowed++) {
    const base = project();
    let changes = 0;
    const dying = new Proxy<FileSystem>(base, {
      get(target, name: keyof FileSystem) {
        return async (...args: Parameters<NonNullable<FileSystem[typeof name]>>) => {
          const isChange = !/^(read|stat|lstat|is|honors)/.test(name);
          if (isChange && changes++ >= allowed) throw new FileSystemError("EIO", String(args[0]));
          return Reflect.apply(target[name]!, target, args);
        };
      },
    });
    const overlay = new OverlayFileSystem(dying);
    await overlay.rename("/src", "/lib");
    await overlay.rename("/lib/deep", "/lib/far");
    const isCut = await overlay.commit().then(
      () => false,
      () => true,
    );
    const contents = Object.values(await treeOf(base)).map((entry) => entry.content);
    expect(contents).toEqual(expect.arrayContaining(["a", "b", "c", "read me"]));
    if (!isCut) break;
    expect(await text(overlay, "/lib/far/c.ts")).toBe("c");
  }
});
