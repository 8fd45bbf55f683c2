import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeStorage } from "@robota/adapters-node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const entry = new TextEncoder().encode("{}");

let directory: string;
let storage: NodeStorage;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "robota-marks-"));
  storage = new NodeStorage({ directory });
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await storage.dispose();
  await rm(directory, { recursive: true, force: true });
});

const marks = async (): Promise<string[]> => (await readdir(join(directory, "~marks"))).sort();

async function append(times: number): Promise<number> {
  let last = 0;
  for (let index = 0; index < times; index++) last = await storage.append("log", [entry]);
  return last;
}

/** Lets `link` behave as on another system. */
function withLink(link: typeof fs.linkSync): { locks: string[] } {
  const locks: string[] = [];
  const { symlinkSync } = fs;
  vi.spyOn(fs, "linkSync").mockImplementation(link);
  vi.spyOn(fs, "symlinkSync").mockImplementation((target, path, type) => {
    symlinkSync(target, path, type);
    if (String(path).endsWith("~lock")) locks.push(String(path));
  });
  syncBuiltinESMExports();
  return { locks };
}

describe("the locks of single writes", () => {
  it("are made of the same few symlinks again and again, and name their holder", async () => {
    await append(8);
    const known = await marks();
    const { linkSync } = fs;
    const placed: string[] = [];
    vi.spyOn(fs, "linkSync").mockImplementation((source, lock) => {
      linkSync(source, lock);
      placed.push(fs.readlinkSync(lock));
    });
    syncBuiltinESMExports();
    expect(await append(16)).toBe(24);
    expect(placed.toSorted()).toEqual([...known, ...known].toSorted());
    expect(await marks()).toEqual(known);
    for (const mark of known) expect(await readlink(join(directory, "~marks", mark))).toBe(mark);
    expect((await readdir(directory)).toSorted()).toEqual(["log.jsonl", "~marks"]);
  });

  it("leave nothing behind when the storage is closed", async () => {
    await append(3);
    await storage.dispose();
    expect(await readdir(directory)).toEqual(["log.jsonl"]);
  });

  it("need nothing that somebody has removed", async () => {
    await append(3);
    await rm(join(directory, "~marks"), { recursive: true });
    expect(await append(20)).toBe(23);
    expect(await marks()).toHaveLength(8);
  });

  it("are symlinks by themselves where the file system can't link symlinks", async () => {
    const { locks } = withLink(() => {
      throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
    });
    expect(await append(3)).toBe(3);
    expect(locks).toHaveLength(3);
    expect(await readdir(directory)).not.toContain("log.jsonl~lock");
  });

  it("are symlinks by themselves where a link is to the symlink's target", async () => {
    const { linkSync } = fs;
    const { locks } = withLink((source, lock) =>
      linkSync(join(directory, fs.readlinkSync(source)), lock),
    );
    expect(await append(3)).toBe(3);
    expect(locks).toHaveLength(3);
  });

  it("are cleared of the marks of killed processes", async () => {
    const worker = fork(join(import.meta.dirname, "marks-worker.ts"), [directory], {
      execArgv: ["--conditions=@robota/source", "--no-warnings"],
    });
    await once(worker, "message");
    const theirs = await marks();
    expect(theirs).not.toEqual([]);
    worker.kill("SIGKILL");
    await once(worker, "exit");
    await append(1);
    await expect.poll(marks).toHaveLength(1);
    expect(theirs).not.toContain((await marks())[0]);
    expect(await storage.append("theirs", [entry])).toBe(2);
  });
});
