import { BrowserFileSystem } from "@robota/adapters-web";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { records, replaceMethod, settled } from "./records.ts";

let workspace: string;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const pieces = (): Promise<Map<string, unknown>> => records(`robota-fs:${workspace}`, "pieces");

function open(): BrowserFileSystem {
  workspace ??= crypto.randomUUID();
  const fs = new BrowserFileSystem(workspace);
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

it("leaves no bytes behind when files are renamed over, replaced or removed", async () => {
  const fs = openNew();
  for (let save = 0; save < 50; save++) {
    await fs.writeFile("/file.tmp", `version ${save}`);
    await fs.rename("/file.tmp", "/file");
  }
  expect((await pieces()).size).toBe(1);

  await fs.appendFile("/file", " appended");
  await fs.writeFile("/file", "whole");
  expect((await pieces()).size).toBe(1);
  await fs.writeFile("/file", "");
  expect((await pieces()).size).toBe(0);

  await fs.mkdir("/tree/deep", { recursive: true });
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => fs.writeFile(`/tree/deep/${index}`, "x")),
  );
  await fs.remove("/tree/deep/7");
  await fs.writeFile("/kept", "x");
  await fs.remove("/tree", { recursive: true });
  expect((await pieces()).size).toBe(1);
  expect((await records(`robota-fs:${workspace}`, "inodes")).size).toBe(3);
});

it("stores only the part of a buffer that was written", async () => {
  const fs = openNew();
  await fs.writeFile("/file", new Uint8Array(5_000_000).subarray(100, 110));
  const [stored] = (await pieces()).values();
  expect(stored).toBeInstanceOf(Uint8Array);
  expect((stored as Uint8Array).buffer.byteLength).toBe(10);
});

it("never gives the number of a removed file to another, not even after it was opened again", async () => {
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

it("moves the time of a directory when something in it is made, moved or removed", async () => {
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

it("appends to a large file by a record of what was appended", async () => {
  const fs = openNew();
  const large = new Uint8Array(5_000_000).fill(1);
  await fs.writeFile("/file", large);
  await fs.appendFile("/file", "the end");
  const sizes = [...(await pieces()).values()].map((piece) => (piece as Uint8Array).length);
  expect(sizes).toEqual([5_000_000, 7]);
  expect(text((await fs.readFile("/file")).subarray(-7))).toBe("the end");
});

it("joins the records of many small appends, and leaves large ones alone", async () => {
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

it("goes on when the browser closes the connection in the middle", async () => {
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

it("shows what is stored after a write that the browser aborted", async () => {
  const fs = openNew();
  await fs.writeFile("/file", "stored");
  replaceMethod(
    IDBObjectStore.prototype,
    "put",
    (original) =>
      function (this: IDBObjectStore, value, ...key) {
        if (!(value instanceof Uint8Array) || value.length !== 666) {
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

it("starts anew when the database is deleted under it", async () => {
  const fs = openNew();
  await fs.writeFile("/file", "x");
  await settled(indexedDB.deleteDatabase(`robota-fs:${workspace}`));
  await expect(fs.readFile("/file")).rejects.toMatchObject({ code: "ENOENT" });
  await fs.writeFile("/new", "y");
  expect((await fs.readdir("/")).map(({ name }) => name)).toEqual(["new"]);
});

it("refuses everything after it was disposed, and keeps what was under way", async () => {
  const fs = openNew();
  await fs.mkdir("/d");
  const writing = fs.appendFile("/d/file", "x");
  await Promise.all([fs.dispose(), fs.dispose(), writing]);
  for (const use of [fs.readFile("/d/file"), fs.stat("/"), fs.mkdir("/e"), fs.readdir("/")]) {
    await expect(use).rejects.toMatchObject({ name: "FileSystemError", code: "EIO" });
  }
  expect((await open().readdir("/d")).map(({ name }) => name)).toEqual(["file"]);
});
