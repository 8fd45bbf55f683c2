import { BrowserFileSystem } from "@robota/adapters-web";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { records, replaceMethod, settled } from "./records.ts";

let workspace: string;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const stored = (store: string): Promise<Map<string, unknown>> =>
  records(`robota-fs:${workspace}`, store);
const pieces = (): Promise<Map<string, unknown>> => stored("pieces");
const small = (): Promise<Map<string, { data: Uint8Array }>> =>
  stored("small") as Promise<Map<string, { data: Uint8Array }>>;
const large = (length = 20_000): Uint8Array => new Uint8Array(length).fill(1);

function open(): BrowserFileSystem {
  workspace ??= crypto.randomUUID();
  // Without the journal, where changes wait until they are records.
  const fs = new BrowserFileSystem(workspace, { journalAfter: Infinity });
  onTestFinished(() => fs.dispose());
  return fs;
}
function openNew(): BrowserFileSystem {
  workspace = crypto.randomUUID();
  return open();
}
afterEach(() => {
  indexedDB.deleteDatabase(`robota-fs:${workspace}`);
});

it("shows a later opener everything that resolved", async () => {
  const first = openNew();
  await first.mkdir("/a/b", { recursive: true });
  await first.writeFile("/a/b/file", "text");
  await first.appendFile("/a/b/file", " and more");
  await first.symlink("b/file", "/a/link");
  await first.chmod("/a/b/file", 0o600);
  await first.utimes("/a/b", 1_000_000);
  await first.dispose();

  const second = open();
  expect(text(await second.readFile("/a/link"))).toBe("text and more");
  expect(await second.stat("/a/b/file")).toMatchObject({ mode: 0o600, size: 13 });
  expect((await second.stat("/a/b")).mtimeMs).toBe(1_000_000);
});

it("deletes the bytes of overwritten and removed files", async () => {
  const fs = openNew();
  const left = async (): Promise<number[]> => [(await small()).size, (await pieces()).size];
  for (let save = 0; save < 50; save++) {
    await fs.writeFile("/file.tmp", save % 3 === 0 ? large() : `version ${save}`);
    await fs.rename("/file.tmp", "/file");
  }
  expect(await left()).toEqual([1, 0]);

  await fs.appendFile("/file", " appended");
  expect(await left()).toEqual([1, 1]);
  await fs.writeFile("/file", large());
  await fs.appendFile("/file", " appended");
  expect(await left()).toEqual([0, 2]);
  await fs.writeFile("/file", "whole");
  expect(await left()).toEqual([1, 0]);
  await fs.writeFile("/file", "");
  expect(await left()).toEqual([0, 0]);

  await fs.mkdir("/tree/deep", { recursive: true });
  for (const text of ["x", "y", large()]) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => fs.writeFile(`/tree/deep/${index}`, text)),
    );
    await fs.writeFile("/tree/deep/one", "x");
    await fs.writeFile("/kept", "kept");
  }
  for (let index = 0; index < 30; index++) await fs.writeFile(`/tree/deep/${index}`, "z");
  await fs.remove("/tree/deep/7");
  await fs.remove("/tree", { recursive: true });
  expect(await left()).toEqual([1, 0]);
  expect(text(await fs.readFile("/kept"))).toBe("kept");
});

it("stores only the result of simultaneous changes", async () => {
  const fs = openNew();
  await Promise.all([
    fs.writeFile("/a", "small"),
    fs.appendFile("/a", " and more"),
    fs.writeFile("/b", "small"),
    fs.writeFile("/b", large()),
    fs.writeFile("/c", large()),
    fs.writeFile("/c", "small"),
    fs.writeFile("/d", "small"),
    fs.remove("/d"),
    fs.writeFile("/e", "small"),
    fs.rename("/e", "/f"),
    fs.writeFile("/g", "small"),
    fs.writeFile("/g", ""),
    fs.writeFile("/h", large()),
    fs.appendFile("/h", "x"),
    fs.remove("/h"),
  ]);
  const seen = async (files: BrowserFileSystem): Promise<(string | number)[][]> => {
    const names = (await files.readdir("/")).map(({ name }) => name);
    const bytes = await Promise.all(names.map((name) => files.readFile(`/${name}`)));
    return names.map((name, at) => {
      const content = bytes[at]!;
      return [name, content.length > 100 ? content.length : text(content)];
    });
  };
  const expected = [
    ["a", "small and more"],
    ["b", 20_000],
    ["c", "small"],
    ["f", "small"],
    ["g", ""],
  ];
  expect(await seen(fs)).toEqual(expected);
  expect([(await small()).size, (await pieces()).size]).toEqual([3, 2]);
  await fs.dispose();
  expect(await seen(open())).toEqual(expected);
});

it("migrates the previous version's records, and continues with them", async () => {
  workspace = crypto.randomUUID();
  const request = indexedDB.open(`robota-fs:${workspace}`, 1);
  request.onupgradeneeded = () => {
    const { result: database } = request;
    const inodes = database.createObjectStore("inodes", { keyPath: "ino" });
    const bytes = database.createObjectStore("pieces");
    const facts = { mode: 0o644, mtimeMs: 5000, revision: 7, linkedMs: 4000, linkedRevision: 6 };
    const file = { type: "file", ...facts, pieces: 1, packed: 5, loose: 0 };
    inodes.put({ type: "directory", ...facts, ino: 2, parent: 1, name: "d", mode: 0o755 });
    inodes.put({ ...file, ino: 3, parent: 2, name: "file", size: 5 });
    inodes.put({ ...file, ino: 5, parent: 1, name: "log", size: 8, pieces: 2, loose: 1 });
    inodes.put({ ...file, ino: 6, parent: 1, name: "empty", size: 0, pieces: 0, packed: 0 });
    inodes.put({ type: "symlink", ...facts, ino: 7, parent: 1, name: "link", target: "d/file" });
    bytes.put(new TextEncoder().encode("hello"), [3, 0]);
    bytes.put(new TextEncoder().encode("first"), [5, 0]);
    bytes.put(new TextEncoder().encode("two"), [5, 5]);
    database.createObjectStore("state").put({ nextIno: 20, revision: 9 }, "tree");
  };
  (await settled(request)).close();

  for (const round of [1, 2]) {
    const fs = open();
    expect(text(await fs.readFile("/link"))).toBe(round === 1 ? "hello" : "hello, world");
    expect(text(await fs.readFile("/log"))).toBe("firsttwo");
    expect((await fs.readFile("/empty")).length).toBe(0);
    expect(await fs.stat("/log")).toMatchObject({ size: 8, mode: 0o644, mtimeMs: 5000 });
    await fs.writeFile("/d/file", "hello");
    await fs.appendFile("/link", ", world");
    await fs.writeFile(`/new${round}`, "new");
    expect((await fs.lightning.promises.stat(`/new${round}`)).ino).toBeGreaterThanOrEqual(20);
    expect((await fs.readdir("/")).map(({ name }) => name)).toEqual(
      ["d", "empty", "link", "log", "new1", "new2"].filter(
        (name) => round === 2 || name !== "new2",
      ),
    );
    await fs.dispose();
  }
});

it("restores everything, however much has changed since it was packed", async () => {
  // Written, moved, changed and removed in turns, and opened again at many points.
  let fs = openNew();
  const expected = new Map<string, string>();
  await fs.mkdir("/d");
  for (let step = 0; step < 400; step++) {
    const path = `/d/${(step * 31) % 97}`;
    const known = expected.get(path);
    if (step % 11 === 3 && known !== undefined) {
      await fs.rename(path, `/d/${step % 97}`);
      expected.delete(path);
      expected.set(`/d/${step % 97}`, known);
    } else if (step % 7 === 5 && known !== undefined) {
      await fs.remove(path);
      expected.delete(path);
    } else if (step % 5 === 2) {
      await fs.appendFile(path, `+${step}`);
      expected.set(path, `${known ?? ""}+${step}`);
    } else {
      await fs.writeFile(path, `${step}`);
      expected.set(path, `${step}`);
    }
    if (step % 80 !== 79) continue;
    await fs.dispose();
    fs = open();
    const names = (await fs.readdir("/d")).map(({ name }) => `/d/${name}`);
    expect(names).toEqual([...expected.keys()].toSorted());
    for (const name of names) expect(text(await fs.readFile(name))).toBe(expected.get(name));
  }
});

it("stores only the written part of a buffer", async () => {
  const fs = openNew();
  await fs.writeFile("/file", new Uint8Array(5_000_000).subarray(100, 110));
  const [record] = (await small()).values();
  expect(record?.data.buffer.byteLength).toBe(10);
  await fs.writeFile("/file", new Uint8Array(5_000_000).subarray(100, 20_100));
  const [piece] = (await pieces()).values();
  expect((piece as Uint8Array).buffer.byteLength).toBe(20_000);
});

it("takes no file whose bytes are lost for an empty one", async () => {
  const first = openNew();
  await first.writeFile("/file", large());
  await first.dispose();
  const database = await settled(indexedDB.open(`robota-fs:${workspace}`));
  const transaction = database.transaction("pieces", "readwrite");
  await settled(transaction.objectStore("pieces").clear());
  database.close();
  await expect(open().readFile("/file")).rejects.toMatchObject({ code: "EIO" });
});

it("never reuses the number of a removed file, even after a reload", async () => {
  const first = openNew();
  await first.writeFile("/secret", "secret");
  const { ino } = await first.lightning.promises.stat("/secret");
  await first.remove("/secret");
  await first.dispose();

  const second = open();
  await second.writeFile("/other", "other");
  const other = await second.lightning.promises.stat("/other");
  expect(other.ino).toBeGreaterThan(ino);
});

it("updates a directory's time when an entry is created, moved or removed", async () => {
  const fs = openNew();
  await fs.mkdir("/d");
  await fs.mkdir("/e");
  const changes = [
    () => fs.writeFile("/d/file", "x"),
    () => fs.rename("/d/file", "/d/moved"),
    () => fs.rename("/d/moved", "/e/moved"),
    () => fs.symlink("x", "/d/link"),
    () => fs.remove("/d/link"),
    () => fs.mkdir("/d/f"),
  ];
  for (const change of changes) {
    await fs.utimes("/d", 0);
    await change();
    expect((await fs.stat("/d")).mtimeMs).toBeGreaterThan(0);
  }
  await fs.dispose();
  expect((await open().stat("/d")).mtimeMs).toBeGreaterThan(0);
});

it("appends to a large file by a record of the appended bytes", async () => {
  const fs = openNew();
  const large = new Uint8Array(5_000_000).fill(1);
  await fs.writeFile("/file", large);
  await fs.appendFile("/file", "the end");
  const sizes = [...(await pieces()).values()].map((piece) => (piece as Uint8Array).length);
  expect(sizes).toEqual([5_000_000, 7]);
  expect(text((await fs.readFile("/file")).subarray(-7))).toBe("the end");
});

it("merges the records of many small appends, but not large ones", async () => {
  const fs = openNew();
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}\n`);
  for (const [index, line] of lines.entries()) {
    // One at a time and many at once: a batch may hold appends before and after a join.
    if (index % 100 === 0) await fs.appendFile("/log", line);
    else if (index % 100 === 99) await fs.appendFile("/log", line);
    else void fs.appendFile("/log", line);
  }
  expect((await pieces()).size).toBeLessThan(140);
  expect(text(await fs.readFile("/log"))).toBe(lines.join(""));
  await fs.dispose();
  expect(text(await open().readFile("/log"))).toBe(lines.join(""));

  const again = openNew();
  const block = new Uint8Array(20_000);
  for (let append = 0; append < 130; append++) void again.appendFile("/large", block);
  await again.appendFile("/large", block);
  expect((await pieces()).size).toBe(131);
  expect((await again.stat("/large")).size).toBe(131 * 20_000);
  expect((await again.readFile("/large")).length).toBe(131 * 20_000);
});

it("continues after the browser closed the connection", async () => {
  const fs = openNew();
  await fs.writeFile("/before", "x");
  let failures = 1;
  replaceMethod(
    IDBDatabase.prototype,
    "transaction",
    (original) =>
      function (this: IDBDatabase, ...args) {
        if (failures === 0) return original.apply(this, args);
        failures -= 1;
        throw new DOMException("The database connection is closing.", "InvalidStateError");
      },
  );

  await fs.writeFile("/file", "text");
  failures = 1;
  expect(text(await fs.readFile("/file"))).toBe("text");
  expect((await fs.readdir("/")).map(({ name }) => name)).toEqual(["before", "file"]);

  failures = Infinity;
  await expect(fs.writeFile("/file", "lost")).rejects.toMatchObject({ code: "EIO" });
  failures = 0;
  expect(text(await fs.readFile("/file"))).toBe("text");
});

it("shows the stored state after a write that the browser aborted", async () => {
  const fs = openNew();
  await fs.writeFile("/file", "stored");
  replaceMethod(
    IDBObjectStore.prototype,
    "put",
    (original) =>
      function (this: IDBObjectStore, value, ...key) {
        if (value?.data?.length !== 666) {
          return original.call(this, value, ...key);
        }
        throw new DOMException("No more room", "QuotaExceededError");
      },
  );

  const tooMuch = new Uint8Array(666);
  const results = await Promise.allSettled([
    fs.writeFile("/one", "1"),
    fs.writeFile("/file", tooMuch),
    fs.writeFile("/new", tooMuch),
    fs.mkdir("/d"),
    fs.rename("/new", "/moved"),
    fs.writeFile("/two", "2"),
  ]);
  const codes = results.map((result) =>
    result.status === "rejected" ? String(result.reason.code) : "stored",
  );
  expect(codes).toEqual(["stored", "ENOSPC", "ENOSPC", "stored", "ENOENT", "stored"]);
  const refused = results[1];
  expect(refused.status === "rejected" && refused.reason.hint).toMatch(/room/);

  expect(text(await fs.readFile("/file"))).toBe("stored");
  expect((await fs.stat("/file")).size).toBe(6);
  const names = (await fs.readdir("/")).map(({ name }) => name);
  expect(names).toEqual(["d", "file", "one", "two"]);
  await fs.dispose();
  expect((await open().readdir("/")).map(({ name }) => name)).toEqual(names);
});

it("starts anew when the database is deleted", async () => {
  const fs = openNew();
  await fs.writeFile("/file", "x");
  await settled(indexedDB.deleteDatabase(`robota-fs:${workspace}`));
  await expect(fs.readFile("/file")).rejects.toMatchObject({ code: "ENOENT" });
  await fs.writeFile("/new", "y");
  expect((await fs.readdir("/")).map(({ name }) => name)).toEqual(["new"]);
});

it("refuses everything after its disposal, and completes pending writes", async () => {
  const fs = openNew();
  await fs.mkdir("/d");
  const writing = fs.appendFile("/d/file", "x");
  await Promise.all([fs.dispose(), fs.dispose(), writing]);
  for (const use of [fs.readFile("/d/file"), fs.stat("/"), fs.mkdir("/e"), fs.readdir("/")]) {
    await expect(use).rejects.toMatchObject({ name: "FileSystemError", code: "EIO" });
  }
  expect((await open().readdir("/d")).map(({ name }) => name)).toEqual(["file"]);
});
