import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { NodeStorage } from "@robota/adapters-node";
import { FileSystemError, StorageError } from "@robota/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toFileSystemError } from "../../../packages/adapters-node/src/files/file-error.ts";
import { toStorageError } from "../../../packages/adapters-node/src/storage/storage-error.ts";

const entry = new TextEncoder().encode("{}");

let directory: string;
let storage: NodeStorage;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "robota-trouble-"));
  storage = new NodeStorage({ directory });
});
afterEach(async () => {
  await storage.dispose();
  await rm(directory, { recursive: true });
});

const file = (name: string): string => join(directory, name);
/** Without the marks that locks are made of. */
const storedFiles = async (): Promise<string[]> =>
  (await readdir(directory)).filter((name) => name !== "~marks");

/** Lets the next removal of a file whose name ends so fail, as on a failing disk. */
async function failingUnlink(ending: string, work: () => Promise<void>): Promise<void> {
  const { unlinkSync } = fs;
  let failures = 0;
  fs.unlinkSync = (path) => {
    if (failures > 0 || !String(path).endsWith(ending)) return unlinkSync(path);
    failures += 1;
    throw Object.assign(new Error("EIO: i/o error, unlink"), { code: "EIO" });
  };
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    fs.unlinkSync = unlinkSync;
    syncBuiltinESMExports();
  }
  expect(failures).toBe(1);
}

describe("an own lock that could not be removed", () => {
  it("undoes nothing of its holder, and blocks no later one", async () => {
    await failingUnlink("log.jsonl~lock", async () => {
      expect(await storage.append("log", [entry])).toBe(1);
    });
    expect(await storedFiles()).toEqual(["log.jsonl", "log.jsonl~lock"]);
    expect(await storage.append("log", [entry])).toBe(2);
    expect(await storedFiles()).toEqual(["log.jsonl"]);
  });

  it("does not count as the holder of a lease", async () => {
    const lease = await storage.acquire("name");
    await failingUnlink("name.lock", async () => {
      await expect(lease.release()).rejects.toMatchObject({ code: "IO", hint: /disk/ });
    });
    const next = await storage.acquire("name");
    await next.release();
    expect(await storedFiles()).toEqual([]);
  });

  it("belongs to this thread: other threads of the process have their own", async () => {
    const lease = await storage.acquire("name");
    const mark = await readlink(file("name.lock"));
    await lease.release();
    await symlink(`${mark.slice(0, -16)}0123456789abcdef`, file("name.lock"));
    const signal = AbortSignal.timeout(300);
    await expect(storage.acquire("name", { signal })).rejects.toMatchObject({ code: "ABORTED" });
  });
});

/** The mark of another process, as that process would leave it. */
async function markOf(pid: number): Promise<string> {
  const lease = await storage.acquire("mark");
  const parts = (await readlink(file("mark.lock"))).split(".");
  await lease.release();
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  const digest = createHash("sha256").update(started).digest("hex").slice(0, 8);
  return parts.with(3, String(pid)).with(4, digest).join(".");
}

it("names the process that is stopped inside a lock, and leaves the requested lease with it", async () => {
  const child = spawn("sleep", ["60"]);
  try {
    const mark = await markOf(child.pid ?? 0);
    child.kill("SIGSTOP");
    await symlink(mark, file("log.lock"));
    await symlink(mark, file("log.jsonl~lock"));
    const refused = {
      name: "StorageError",
      code: "IO",
      recoverable: true,
      message: expect.stringContaining(`process ${child.pid}`),
      hint: expect.stringContaining(`kill -CONT ${child.pid}`),
    };
    await Promise.all([
      expect(storage.acquire("log", { steal: true })).rejects.toMatchObject(refused),
      expect(storage.append("log", [entry])).rejects.toMatchObject(refused),
    ]);
    expect(await readlink(file("log.lock"))).toBe(mark);
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
  await (await storage.acquire("log", { steal: true })).release();
  expect(await storage.append("log", [entry])).toBe(1);
});

describe("a storage directory that can't be created", () => {
  it.runIf(process.platform === "linux")("is refused with a hint, and at once", async () => {
    await using nowhere = new NodeStorage({ directory: "/proc/nope/.robota" });
    for (const use of [
      () => nowhere.set("a", entry),
      () => nowhere.append("a", [entry]),
      () => nowhere.acquire("a"),
    ]) {
      await expect(use()).rejects.toMatchObject({ code: "IO", hint: /storage directory/ });
    }
  });

  it("is not a dangling link", async () => {
    await symlink(file("gone/deeper"), file("link"));
    await using nowhere = new NodeStorage({ directory: file("link") });
    await expect(nowhere.append("a", [entry])).rejects.toMatchObject({ code: "IO", hint: /./ });
  });

  it("is not on a read-only file system", async ({ skip }) => {
    const mounted = file("mounted");
    await mkdir(mounted);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "ro", "none", mounted], { stdio: "pipe" });
    } catch {
      return skip("no file system can be mounted here");
    }
    try {
      await using home = new NodeStorage({ directory: join(mounted, "home/.robota") });
      await expect(home.append("sessions/s", [entry])).rejects.toMatchObject({
        code: "IO",
        message: expect.stringContaining("EROFS"),
        hint: /can be written to/,
      });
    } finally {
      execFileSync("umount", [mounted]);
    }
  });
});

it("has a hint for every system error", () => {
  const errnos = [...Object.keys(constants.errno), "ERR_INVALID_ARG_VALUE", "EWHATEVER"];
  for (const code of errnos) {
    const cause = Object.assign(new Error(code), { code });
    expect(toStorageError("/file", cause).hint, code).not.toBe("");
    expect(toFileSystemError("/file", cause).hint, code).not.toBe("");
  }
  for (const hint of ["", undefined]) {
    const options = hint === undefined ? {} : { hint };
    expect(new StorageError("IO", "failed", options).hint).not.toBe("");
    expect(new FileSystemError("EIO", "/file", options).hint).not.toBe("");
  }
});

it.each([
  ["ENOSPC", /Free some space/],
  ["EDQUOT", /quota/],
  ["EFBIG", /ulimit -f/],
])("has no room for more after %s", (code, hint) => {
  const cause = Object.assign(new Error(code), { code });
  expect(toStorageError("/file", cause)).toMatchObject({ code: "FULL", hint });
  expect(toFileSystemError("/file", cause)).toMatchObject({ code: "ENOSPC" });
});
