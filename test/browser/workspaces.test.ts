import {
  browserPlatform,
  droppedSource,
  fileSource,
  folderSource,
  Workspaces,
} from "@robota/adapters-web";
import { exportZip, importFiles, type ImportSource } from "@robota/runtime/virtual";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { turnClock } from "../support/time/own-time.ts";

let list: string;
beforeEach(() => {
  list = crypto.randomUUID();
});

/** As one tab has them: two of a page share a list as two tabs do, by a database and a BroadcastChannel. */
function openTab(): Workspaces {
  const workspaces = new Workspaces({ list });
  onTestFinished(() => workspaces.dispose());
  return workspaces;
}

async function open(workspace: string = crypto.randomUUID()) {
  const platform = browserPlatform({ workspace });
  onTestFinished(() => platform.dispose());
  await platform.fs.mkdir("/work", { recursive: true });
  return platform;
}

const noise = (size: number): Uint8Array => {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
};
const namesIn = async (workspaces: Workspaces) => (await workspaces.list()).map(({ name }) => name);
const usage = async (): Promise<number> => (await navigator.storage.estimate()).usage ?? 0;

describe("several workspaces", () => {
  it("are created, listed and renamed in every tab at once", async () => {
    const [one, other] = [openTab(), openTab()];
    let reported = 0;
    other.watch(() => reported++);
    const first = await one.create("First", { id: `home-${list}` });
    await vi.waitFor(() => expect(reported).toBe(1));
    const second = await other.create("  Second ");
    expect(await one.create("Again", { id: first.id })).toEqual(first);
    await one.rename(second.id, "Later");
    expect(await one.list()).toEqual([first, { ...second, name: "Later" }]);
    await vi.waitFor(() => expect(reported).toBe(3));
    expect(await namesIn(other)).toEqual(["First", "Later"]);

    await expect(one.rename("none", "x")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(one.delete("none")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(one.create("  ")).rejects.toMatchObject({ code: "INVALID_NAME" });
  });

  it("isolate their files and sessions", async () => {
    const workspaces = openTab();
    const [one, other] = [await workspaces.create("One"), await workspaces.create("Other")];
    const [here, there] = [await open(one.id), await open(other.id)];
    await here.fs.writeFile("/work/file", "1");
    await here.storage.set("key", Uint8Array.of(1));
    expect(await there.fs.readdir("/work")).toEqual([]);
    expect(await there.storage.get("key")).toBeUndefined();
  });

  it("free their space when deleted, and can't be deleted while open", async () => {
    const workspaces = openTab();
    const { id } = await workspaces.create("Large");
    const platform = browserPlatform({ workspace: id });
    const before = await usage();
    for (let n = 0; n < 4; n++) await platform.fs.writeFile(`/file-${n}`, noise(2_000_000));
    await platform.storage.append("log", [noise(2_000_000)]);
    const full = await usage();
    expect(full - before).toBeGreaterThan(9_000_000);

    await expect(workspaces.delete(id)).rejects.toMatchObject({
      name: "WorkspaceError",
      code: "BUSY",
      hint: expect.stringContaining("tabs"),
    });
    expect(await namesIn(workspaces)).toEqual(["Large"]);
    expect((await platform.fs.readFile("/file-3")).length).toBe(2_000_000);

    await platform.dispose();
    await workspaces.delete(id);
    expect(await workspaces.list()).toEqual([]);
    const names = (await indexedDB.databases()).map(({ name = "" }) => name);
    expect(names.filter((name) => name.includes(id))).toEqual([]);
    expect(localStorage.getItem(`robota-workspace:${id}`)).toBeNull();
    await vi.waitFor(async () => expect(full - (await usage())).toBeGreaterThan(9_000_000), 5000);
  });

  it("are not deleted while only their sessions are open", async () => {
    const workspaces = openTab();
    const { id } = await workspaces.create("Held");
    const platform = browserPlatform({ workspace: id });
    onTestFinished(() => platform.dispose());
    const lease = await platform.storage.acquire("sessions/one");
    await expect(workspaces.delete(id)).rejects.toMatchObject({ code: "BUSY" });
    await lease.release();
    await workspaces.delete(id);
  });

  it("are deleted completely even when the tab dies half-way", async () => {
    const workspaces = openTab();
    const { id, name } = await workspaces.create("Half");
    const platform = await open(id);
    await platform.dispose();
    // The remains of such a tab: the mark, and the files.
    const request = indexedDB.open(`robota-workspaces:${list}`);
    await new Promise((resolve) => (request.onsuccess = resolve));
    const transaction = request.result.transaction("workspaces", "readwrite");
    transaction.objectStore("workspaces").put({ id, name, createdAt: 1, isLeaving: true });
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    request.result.close();

    expect(await openTab().list()).toEqual([]);
    const names = (await indexedDB.databases()).map((each) => each.name);
    expect(names).not.toContain(`robota-fs:${id}`);
  });
});

describe("an import", () => {
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  async function take(source: ImportSource, leavesOut = (_path: string) => false) {
    const platform = await open();
    const result = await importFiles(platform, source, { into: "/work", leavesOut });
    return { ...platform, ...result };
  }

  it("takes a folder with everything in it except excluded files", async () => {
    const root = await navigator.storage.getDirectory();
    const name = `folder-${list}`;
    const folder = await root.getDirectoryHandle(name, { create: true });
    onTestFinished(() => root.removeEntry(name, { recursive: true }));
    const deep = await folder.getDirectoryHandle("deep", { create: true });
    await folder.getDirectoryHandle("empty", { create: true });
    const modules = await folder.getDirectoryHandle("node_modules", { create: true });
    for (const directory of [folder, deep, modules]) {
      const file = await directory.getFileHandle("a.txt", { create: true });
      const writable = await file.createWritable();
      await writable.write(directory.name);
      await writable.close();
    }
    const { fs, paths, files, skipped } = await take(folderSource(folder), (path) =>
      path.endsWith("/node_modules"),
    );
    expect([paths, files]).toEqual([[`/work/${name}`], 2]);
    expect(skipped.map(({ path }) => path)).toEqual([`${name}/node_modules`]);
    expect(text(await fs.readFile(`/work/${name}/deep/a.txt`))).toBe("deep");
    expect((await fs.readdir(`/work/${name}`)).map((entry) => entry.name)).toEqual([
      "a.txt",
      "deep",
      "empty",
    ]);
  });

  it("takes dropped or picked files, and unpacks a single archive", async () => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["1"], "one.txt", { lastModified: 5000 }));
    transfer.items.add(new File(["2"], "two.zip"));
    const { fs, paths } = await take(await droppedSource(transfer));
    expect(paths).toEqual(["/work/one.txt", "/work/two.zip"]);
    expect((await fs.stat("/work/one.txt")).mtimeMs).toBe(5000);

    const zip = await new Response(exportZip(fs, "/work")).blob();
    const unpacked = await take(await fileSource([new File([zip], "project.zip")]));
    expect(unpacked.paths).toEqual(["/work/work"]);
    expect(text(await unpacked.fs.readFile("/work/work/one.txt"))).toBe("1");
  });

  it("of a thousand small files takes a moment", async () => {
    const files = Array.from({ length: 1000 }, (_, n) => new File([`${n}`], `${n}.txt`));
    const platform = await open();
    using clock = turnClock();
    await importFiles(platform, await fileSource(files), { into: "/work" });
    expect(clock.ms()).toBeLessThan(8000);
    expect(await platform.fs.readdir("/work")).toHaveLength(1000);
  });

  it("in a follower tab is made by the owner, and reported in both", async () => {
    const workspace = crypto.randomUUID();
    const [owner, follower] = [await open(workspace), await open(workspace)];
    const reported: string[] = [];
    owner.fs.watch((changes) => reported.push(...changes.map(({ path }) => path)));
    const files = Array.from({ length: 300 }, (_, n) => new File([`${n}`], `${n}.txt`));
    await importFiles(follower, await fileSource(files), { into: "/work" });
    expect([owner.fs.role, follower.fs.role]).toEqual(["owner", "follower"]);
    for (const { fs } of [owner, follower]) expect(await fs.readdir("/work")).toHaveLength(300);
    await vi.waitFor(() => expect(reported).toContain("/work/299.txt"));
  });
});
