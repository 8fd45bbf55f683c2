import { StorageError } from "@robota/runtime";
import { fileSystemContract } from "@robota/runtime/testing";
import { MemoryFileSystem, MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { DurableOverlay } from "./durable-overlay.ts";

describe("a session's own files", () => {
  // The slow ones are about the files below, which have the contract to themselves.
  const cases = fileSystemContract(() =>
    DurableOverlay.load(new MemoryFileSystem(), new MemoryStorage(), "s"),
  ).filter(({ slow }) => !slow);
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});

async function treeOf(fs: DurableOverlay, path = "/"): Promise<string[]> {
  const entries: string[] = [];
  for (const { name, type } of await fs.readdir(path)) {
    const child = path === "/" ? `/${name}` : `${path}/${name}`;
    const { mode, mtimeMs } = await fs.lstat(child);
    if (type === "file")
      entries.push(
        `${child} ${mode} ${mtimeMs} ${new TextDecoder().decode(await fs.readFile(child))}`,
      );
    else if (type === "symlink") entries.push(`${child} -> ${await fs.readlink(child)}`);
    else entries.push(`${child}/ ${mode}`, ...(await treeOf(fs, child)));
  }
  return entries;
}

it("are the same after a reload", async () => {
  const base = new MemoryFileSystem();
  await base.mkdir("/dir/deep", { recursive: true });
  await base.writeFile("/dir/deep/a.txt", "a");
  await base.writeFile("/b.txt", "b");
  const storage = new MemoryStorage();
  const first = await DurableOverlay.load(base, storage, "s");
  await first.rename("/dir", "/moved");
  await first.appendFile("/moved/deep/a.txt", "more");
  await first.chmod("/b.txt", 0o600);
  await first.utimes("/b.txt", 1000);
  await first.symlink("b.txt", "/link");
  await first.writeFile("/link", "through the link");
  await first.mkdir("/new/dirs", { recursive: true });
  await first.writeFile("/new/gone.txt", "x");
  await first.remove("/new/gone.txt");
  const again = await DurableOverlay.load(base, storage, "s");
  expect(await treeOf(again)).toEqual(await treeOf(first));
  expect(new TextDecoder().decode(await base.readFile("/b.txt"))).toBe("b");
});

it("are the same when a link was moved behind itself", async () => {
  const base = new MemoryFileSystem({ files: { "/dir/a.txt": "a" } });
  await base.symlink("dir", "/link");
  const storage = new MemoryStorage();
  const first = await DurableOverlay.load(base, storage, "s");
  await first.rename("/link", "/link/a.txt");
  const again = await DurableOverlay.load(base, storage, "s");
  expect(await treeOf(first)).toEqual(["/dir/ 493", "/dir/a.txt -> dir"]);
  expect(await treeOf(again)).toEqual(["/dir/ 493", "/dir/a.txt -> dir"]);
});

it("are restored when the base has replaced their directories", async () => {
  const base = new MemoryFileSystem({ files: { "/other/": "", "/old/": "", "/gone/": "" } });
  const storage = new MemoryStorage();
  const first = await DurableOverlay.load(base, storage, "s");
  await first.mkdir("/made/on/the/way", { recursive: true });
  await first.writeFile("/old/file", "own");
  await first.writeFile("/gone/file", "own");
  await base.writeFile("/made", "somebody's");
  await base.remove("/old");
  await base.writeFile("/old", "somebody's");
  await base.remove("/gone");
  await base.symlink("/other", "/gone");
  const again = await DurableOverlay.load(base, storage, "s");
  for (const path of ["/made/on/the", "/old", "/gone", "/other"]) {
    const names = (await again.readdir(path)).map(({ name }) => name);
    expect([path, names]).toEqual([
      path,
      { "/made/on/the": ["way"], "/other": [] }[path] ?? ["file"],
    ]);
  }
});

it("are the same when a large directory was moved", async () => {
  const names = Array.from({ length: 20_010 }, (_, at) => `/many/d${at % 10}/${at}`);
  const base = new MemoryFileSystem({ files: Object.fromEntries(names.map((name) => [name, ""])) });
  const storage = new MemoryStorage();
  const first = await DurableOverlay.load(base, storage, "s");
  await first.rename("/many", "/moved");
  const again = await DurableOverlay.load(base, storage, "s");
  expect((await again.readdir("/moved/d9")).length).toBe(2001);
  expect((await again.readdir("/")).map(({ name }) => name)).toEqual(["moved"]);
});

it("show no change that storage refused", async () => {
  const storage = new MemoryStorage();
  storage.append = () => Promise.reject(new StorageError("FULL", "No room"));
  const files = await DurableOverlay.load(new MemoryFileSystem(), storage, "s");
  await expect(files.writeFile("/a.txt", "a")).rejects.toMatchObject({ code: "ENOSPC" });
  expect(await files.readdir("/")).toEqual([]);
});
