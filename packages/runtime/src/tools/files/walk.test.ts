import { expect, it } from "vitest";
import { MemoryFileSystem } from "../../virtual/memory-file-system.ts";
import { createPacer } from "./pacer.ts";
import { walkFiles, type WalkOptions } from "./walk.ts";
import { turnClock } from "../../../../../test/support/time/own-time.ts";

async function walked(
  fs: MemoryFileSystem,
  root: string,
  options: Partial<WalkOptions> = {},
): Promise<string[]> {
  const paths: string[] = [];
  const pace = createPacer(new AbortController().signal);
  const all = { cwd: "/code", pace, ...options };
  for await (const { path } of walkFiles(fs, root, all)) paths.push(path);
  return paths;
}

function tree(...paths: string[]): MemoryFileSystem {
  return new MemoryFileSystem({ files: Object.fromEntries(paths.map((path) => [path, ""])) });
}

it("visits files in the order of their paths", async () => {
  const paths = ["/code/a-b", "/code/a.ts", "/code/a/b", "/code/a/b.c/d", "/code/a/b/c", "/code/b"];
  const fs = tree(...paths.filter((path) => path !== "/code/a/b"));
  const expected = paths.filter((path) => path !== "/code/a/b");
  expect(await walked(fs, "/code")).toEqual(expected.toSorted());
});

it("omits files ignored by git, at every level, and .git", async () => {
  const fs = tree(
    "/code/.git/config",
    "/code/dist/a.js",
    "/code/keep.log",
    "/code/other.log",
    "/code/packages/a/dist/a.js",
    "/code/packages/a/generated/x.ts",
    "/code/packages/a/src/debug.log",
    "/code/packages/a/src/index.ts",
    "/code/packages/b/generated/x.ts",
  );
  await fs.writeFile("/code/.gitignore", "dist/\n*.log\n!keep.log\n# comment\n");
  await fs.writeFile("/code/packages/a/.gitignore", "/generated\n!debug.log\n");
  expect(await walked(fs, "/code")).toEqual([
    "/code/.gitignore",
    "/code/keep.log",
    "/code/packages/a/.gitignore",
    "/code/packages/a/src/debug.log",
    "/code/packages/a/src/index.ts",
    "/code/packages/b/generated/x.ts",
  ]);
});

it("omits files listed in .ignore and in this clone's own list, the nearest and most specific first", async () => {
  const fs = tree("/code/.git/x", "/code/a.log", "/code/a.tmp", "/code/b.tmp", "/code/src/c.tmp");
  await fs.mkdir("/code/.git/info");
  await fs.writeFile("/code/.git/info/exclude", "*.tmp\n*.log\n");
  await fs.writeFile("/code/.gitignore", "!b.tmp\na.*\n");
  await fs.writeFile("/code/.ignore", "!a.log\n");
  await fs.writeFile("/code/src/.gitignore", "!c.tmp\n");
  const files = ["a.log", "b.tmp", "src/.gitignore", "src/c.tmp"].map((name) => `/code/${name}`);
  expect(await walked(fs, "/code")).toEqual(["/code/.gitignore", "/code/.ignore", ...files]);
  expect(await walked(fs, "/code/src")).toEqual(files.slice(2));
});

it("applies the rules above its root, up to the repository's", async () => {
  const fs = tree("/repo/.git/config", "/repo/app/node_modules/x.js", "/repo/app/src/a.ts");
  await fs.writeFile("/repo/.gitignore", "node_modules\n");
  expect(await walked(fs, "/repo/app", { cwd: "/repo/app" })).toEqual(["/repo/app/src/a.ts"]);
  await fs.remove("/repo/.git", { recursive: true });
  expect(await walked(fs, "/repo/app", { cwd: "/repo/app" })).toHaveLength(2);
  expect(await walked(fs, "/repo/app/src", { cwd: "/repo" })).toEqual(["/repo/app/src/a.ts"]);
});

it("includes an ignored directory that is the root", async () => {
  const fs = tree("/code/node_modules/x/index.js", "/code/node_modules/x/y.log");
  await fs.writeFile("/code/.gitignore", "node_modules\n*.log\n");
  expect(await walked(fs, "/code/node_modules/x")).toEqual([
    "/code/node_modules/x/index.js",
    "/code/node_modules/x/y.log",
  ]);
});

it("lists symlinks without following them", async () => {
  const fs = tree("/code/a/file");
  await fs.symlink("..", "/code/a/loop");
  await fs.symlink("/etc", "/code/out");
  expect(await walked(fs, "/code")).toEqual(["/code/a/file", "/code/a/loop", "/code/out"]);
});

it("skips directories that its caller excludes", async () => {
  const fs = tree("/code/a/x", "/code/b/c/x", "/code/b/d/x");
  const enters = (directory: string) => directory === "b" || directory === "b/c";
  expect(await walked(fs, "/code", { enters })).toEqual(["/code/b/c/x"]);
});

it("continues after an unreadable directory", async () => {
  const fs = tree("/code/a/x", "/code/b/x");
  const readdir = fs.readdir.bind(fs);
  fs.readdir = async (path) => readdir(path === "/code/a" ? "/missing" : path);
  const unreadable: string[] = [];
  const onUnreadable = (path: string) => unreadable.push(path);
  expect(await walked(fs, "/code", { onUnreadable })).toEqual(["/code/b/x"]);
  expect(unreadable).toEqual(["/code/a"]);
  await expect(walked(fs, "/code/c")).rejects.toMatchObject({ code: "ENOENT" });
});

it("stops on abort, also in a large tree in memory", async () => {
  const files: Record<string, string> = {};
  for (let index = 0; index < 20_000; index += 1) files[`/code/${index % 300}/${index}`] = "";
  const fs = new MemoryFileSystem({ files });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 5);
  using clock = turnClock();
  await expect(walked(fs, "/code", { pace: createPacer(controller.signal) })).rejects.toMatchObject(
    {
      name: "AbortError",
    },
  );
  expect(clock.ms()).toBeLessThan(1000);
});
