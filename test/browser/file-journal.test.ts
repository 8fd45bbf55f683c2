import { BrowserFileSystem, Workspaces } from "@robota/adapters-web";
import {
  bytesOf,
  type JournalRecord,
} from "../../packages/adapters-web/src/file-system/journal.ts";
import { journalName } from "../../packages/adapters-web/src/file-system/journal-file.ts";
import { expect, it, onTestFinished } from "vitest";
import { replaceMethod } from "./records.ts";

const text = async (fs: BrowserFileSystem, path: string): Promise<string> =>
  new TextDecoder().decode(await fs.readFile(path));

function open(workspace: string): BrowserFileSystem {
  const fs = new BrowserFileSystem(workspace, { journalAfter: 0 });
  onTestFinished(() => fs.dispose());
  return fs;
}

/** How many transactions write to the database, from now on. */
function countWrites(): () => number {
  let count = 0;
  replaceMethod(
    IDBDatabase.prototype,
    "transaction",
    (original) =>
      function (this: IDBDatabase, ...args) {
        if (args[1] === "readwrite") count += 1;
        return original.apply(this, args);
      },
  );
  return () => count;
}

/** Writes until changes go to the journal. */
async function journalling(workspace: string): Promise<BrowserFileSystem> {
  const fs = open(workspace);
  const writes = countWrites();
  const isInJournal = async (): Promise<boolean> => {
    const before = writes();
    await fs.writeFile("/begun", "x");
    return writes() === before;
  };
  await expect.poll(isInJournal).toBe(true);
  return fs;
}

it("reads journaled changes as if they were stored", async () => {
  const fs = await journalling(crypto.randomUUID());
  await fs.mkdir("/d");
  for (let index = 0; index < 200; index++) await fs.writeFile(`/d/${index}`, `${index}`);
  await fs.rename("/d/7", "/d/moved");
  await fs.remove("/d/8");
  await fs.symlink("9", "/d/link");
  await fs.chmod("/d/9", 0o600);
  await fs.utimes("/d/9", 1_000);
  expect((await fs.readdir("/d")).length).toBe(200);
  expect(await text(fs, "/d/moved")).toBe("7");
  expect(await text(fs, "/d/link")).toBe("9");
  expect(await fs.stat("/d/link")).toEqual({ type: "file", size: 1, mode: 0o600, mtimeMs: 1_000 });
  await expect(fs.stat("/d/8")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(fs.mkdir("/d")).rejects.toMatchObject({ code: "EEXIST" });
  await fs.appendFile("/d/moved", " and more");
  expect(await text(fs, "/d/moved")).toBe("7 and more");
  const many = await fs.readMany(["/d/1", "/d/moved"], 100);
  expect(many.map((bytes) => bytes && new TextDecoder().decode(bytes))).toEqual([
    "1",
    "7 and more",
  ]);
});

it("shows another tab the journaled changes of the first", async () => {
  const workspace = crypto.randomUUID();
  const first = await journalling(workspace);
  for (let index = 0; index < 30; index++) await first.writeFile("/file", `${index}`);
  const second = open(workspace);
  expect(await text(second, "/file")).toBe("29");
  expect(second.role).toBe("follower");
  await first.writeFile("/file", "later");
  await expect.poll(() => text(second, "/file")).toBe("later");
});

it("stores journaled changes on close, and continues from there", async () => {
  const workspace = crypto.randomUUID();
  const first = await journalling(workspace);
  for (let index = 0; index < 30; index++) await first.writeFile(`/${index}`, `${index}`);
  await first.dispose();
  const second = await journalling(workspace);
  expect(await text(second, "/29")).toBe("29");
  await second.writeFile("/29", "again");
  await second.dispose();
  expect(await text(open(workspace), "/29")).toBe("again");
});

/**
 * Writes while the database refuses everything. What the journal has is stored after 100 ms; when that has just failed, the
 * next write is told so, and the journal takes writes again once the tree was read again.
 */
async function writeToJournal(fs: BrowserFileSystem, path: string, data: string): Promise<void> {
  const write = async (): Promise<void> => {
    try {
      await fs.writeFile(path, data);
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
      await text(fs, "/begun");
      throw error;
    }
  };
  await expect.poll(write).toBeUndefined();
}

it("keeps journaled changes when the database refuses them, and stores them later", async () => {
  const fs = await journalling(crypto.randomUUID());
  let isFull = true;
  replaceMethod(
    IDBObjectStore.prototype,
    "put",
    (original) =>
      function (this: IDBObjectStore, ...args) {
        if (isFull) throw new DOMException("No more room", "QuotaExceededError");
        return original.apply(this, args);
      },
  );
  for (let index = 0; index < 10; index++) await writeToJournal(fs, `/${index}`, `${index}`);
  await expect(fs.writeFile("/large", new Uint8Array(100_000))).rejects.toMatchObject({
    code: "ENOSPC",
  });
  for (let index = 0; index < 10; index++) expect(await text(fs, `/${index}`)).toBe(`${index}`);
  await expect(fs.stat("/large")).rejects.toMatchObject({ code: "ENOENT" });
  await writeToJournal(fs, "/10", "10");
  isFull = false;
  await fs.writeFile("/large", new Uint8Array(100_000));
  expect(await text(fs, "/9")).toBe("9");
  expect(await text(fs, "/10")).toBe("10");
});

/** Leaves `record` as a tab does that died. */
async function leaveJournal(workspace: string, record: JournalRecord): Promise<void> {
  const directory = await navigator.storage.getDirectory();
  const file = await directory.getFileHandle(await journalName(workspace), { create: true });
  const writable = await file.createWritable();
  await writable.write(bytesOf(record));
  await writable.close();
}

async function hasJournal(workspace: string): Promise<boolean> {
  const directory = await navigator.storage.getDirectory();
  const name = await journalName(workspace);
  return directory.getFileHandle(name).then(
    () => true,
    () => false,
  );
}

const operations: JournalRecord["operations"] = [
  { type: "mkdir", path: "/a", recursive: false },
  { type: "write", path: "/a/file", data: new TextEncoder().encode("text") },
  { type: "mkdir", path: "/a", recursive: false },
];

it("recovers a dead tab's journal, before its own changes", async () => {
  const workspace = crypto.randomUUID();
  await leaveJournal(workspace, { revision: 0, now: 1_000, operations });
  const fs = await journalling(workspace);
  expect(await text(fs, "/a/file")).toBe("text");
  expect(await fs.stat("/a/file")).toMatchObject({ mtimeMs: 1_000 });
  await fs.dispose();
  expect(await text(open(workspace), "/a/file")).toBe("text");
});

it("discards a journal that does not belong to the database's state", async () => {
  const workspace = crypto.randomUUID();
  await leaveJournal(workspace, { revision: 3, now: 1_000, operations });
  const fs = new BrowserFileSystem(workspace, { journalAfter: Infinity });
  onTestFinished(() => fs.dispose());
  for (let index = 0; index < 10; index++) await fs.writeFile("/file", `${index}`);
  expect((await fs.readdir("/")).map(({ name }) => name)).toEqual(["file"]);
  expect(await hasJournal(workspace)).toBe(false);
});

it("is deleted with its workspace", async () => {
  await using workspaces = new Workspaces({ list: crypto.randomUUID() });
  const { id } = await workspaces.create("one");
  await (await journalling(id)).dispose();
  expect(await hasJournal(id)).toBe(true);
  await workspaces.delete(id);
  expect(await hasJournal(id)).toBe(false);
});

/** Workers that answer what `answer` makes of their answers. */
function answering(answer: (isDone: boolean) => boolean) {
  const { Worker } = globalThis;
  let [started, ended] = [0, 0];
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      started += 1;
    }
    override set onmessage(listener: ((event: MessageEvent<{ isDone: boolean }>) => void) | null) {
      super.onmessage = ({ data }: MessageEvent<{ isDone: boolean }>) =>
        listener?.(new MessageEvent("message", { data: { isDone: answer(data.isDone) } }));
    }
    override terminate(): void {
      ended += 1;
      super.terminate();
    }
  };
  onTestFinished(() => void (globalThis.Worker = Worker));
  return { started: () => started, ended: () => ended };
}

it("applies a change once when its journal entry was stored but reported as failed", async () => {
  let isLost = false;
  answering((isDone) => isDone && !isLost);
  const workspace = crypto.randomUUID();
  const fs = await journalling(workspace);
  await fs.mkdir("/before");
  isLost = true;
  await fs.mkdir("/once");
  await fs.rename("/begun", "/once/moved");
  expect(await text(fs, "/once/moved")).toBe("x");
  await fs.dispose();
  const names = (await open(workspace).readdir("/")).map(({ name }) => name);
  expect(names).toEqual(["before", "once"]);
});

it("terminates its worker when it is closed while the journal opens", async () => {
  const { started, ended } = answering((isDone) => isDone);
  const fs = open(crypto.randomUUID());
  await fs.writeFile("/file", "x");
  await fs.dispose();
  for (const count of [started, ended]) {
    await expect.poll(count).toBe(1);
  }
});

it("works without a journal in pages without workers", async () => {
  const { Worker } = globalThis;
  globalThis.Worker = class extends Worker {
    constructor() {
      super("data:text/javascript,throw 1");
    }
  };
  onTestFinished(() => void (globalThis.Worker = Worker));
  const fs = open(crypto.randomUUID());
  for (let index = 0; index < 50; index++) await fs.writeFile("/file", `${index}`);
  expect(await text(fs, "/file")).toBe("49");
});
