import { execFile, spawn } from "node:child_process";
import { pbkdf2 } from "node:crypto";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { NodeStorage } from "@robota/adapters-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { turnClock } from "../../support/time/own-time.ts";

const run = promisify(execFile);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);

let directory: string;
let storage: NodeStorage;
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "robota-storage-")), ".robota");
  storage = new NodeStorage({ directory });
});
afterEach(async () => {
  await storage.dispose();
  await rm(join(directory, ".."), { recursive: true });
});

const file = (name: string): string => join(directory, name);
/** Without the marks that locks are made of. */
const storedFiles = async (): Promise<string[]> =>
  (await readdir(directory)).filter((name) => name !== "~marks");
const contents = (name: string): Promise<string> => readFile(file(name), "utf8");
const modeOf = async (name: string): Promise<number> => (await stat(file(name))).mode & 0o777;

async function entries(log: string, from = 1): Promise<string[]> {
  const list: string[] = [];
  for await (const { value } of storage.read(log, from)) list.push(text(value));
  return list;
}

describe("the files", () => {
  it("are readable under plain names, for their owner only", async () => {
    await storage.set("sessions/one", bytes('{"id":"one"}'));
    await storage.append("sessions/one", [bytes('{"seq":1}')]);
    const lease = await storage.acquire("sessions/one");
    expect(await readdir(file("sessions"))).toEqual(["one.json", "one.jsonl", "one.lock"]);
    expect(await contents("sessions/one.json")).toBe('{"id":"one"}');
    expect(await contents("sessions/one.jsonl")).toBe('{"seq":1}\n');
    await lease.release();
    expect(await readdir(file("sessions"))).toEqual(["one.json", "one.jsonl"]);
    expect([await modeOf("sessions/one.json"), await modeOf("sessions/one.jsonl")]).toEqual([
      0o600, 0o600,
    ]);
    expect([await modeOf(""), await modeOf("sessions")]).toEqual([0o700, 0o700]);
  });

  it("are created with the first stored value", async () => {
    expect(await storage.get("a")).toBeUndefined();
    expect(await storage.keys("")).toEqual([]);
    await storage.delete("a");
    await storage.deleteLog("a");
    expect(await entries("a")).toEqual([]);
    await expect(stat(directory)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("stay within the directory, for any key", async () => {
    await writeFile(join(directory, "..", "outside.json"), "{}");
    for (const key of ["../outside", "a/../../outside", "/outside", "a/./b"]) {
      await expect(storage.get(key)).rejects.toMatchObject({ code: "INVALID_KEY" });
    }
    expect(await storage.keys("../")).toEqual([]);
    expect(await storage.keys("..")).toEqual([]);
  });

  it("of other programs are not listed as keys", async () => {
    await storage.set("a", bytes("1"));
    await writeFile(file("notes.txt"), "x");
    await writeFile(file("with space.json"), "x");
    await writeFile(file("a.json~new"), "left by a kill");
    await mkdir(file("b.json"));
    await symlink("gone", file("dangling.json"));
    expect(await storage.keys("")).toEqual(["a"]);
  });

  it("may be linked to another place", async () => {
    await mkdir(file("elsewhere"), { recursive: true });
    await symlink("elsewhere", file("sessions"));
    await storage.set("sessions/one", bytes("1"));
    expect(await storage.keys("sessions/")).toEqual(["sessions/one"]);
  });

  it("can be edited by a person, which changes the version", async () => {
    const version = await storage.set("settings", bytes("{}"));
    await writeFile(file("settings.json"), '{"edited":true}');
    await expect(storage.set("settings", bytes("{}"), { ifMatch: version })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(text(await storage.get("settings"))).toBe('{"edited":true}');
  });

  it("get distinct versions when the clock stands still or goes back", async () => {
    const { now } = Date;
    try {
      const versions: string[] = [];
      for (const time of [2e12, 2e12, 1e12, 1e12, 3e12]) {
        Date.now = () => time;
        versions.push(await storage.set("key", bytes("same")));
      }
      expect(new Set(versions).size).toBe(5);
    } finally {
      Date.now = now;
    }
  });

  it("report why they can't be used", async () => {
    await writeFile(directory, "a file where the directory should be");
    for (const operation of [
      () => storage.get("a"),
      () => storage.set("a", bytes("1")),
      () => storage.append("a", [bytes("1")]),
      () => storage.acquire("a"),
    ]) {
      await expect(operation()).rejects.toMatchObject({
        name: "StorageError",
        code: "IO",
        message: expect.stringContaining(directory),
        cause: expect.objectContaining({ code: expect.stringMatching(/^E/) }),
      });
    }
  });
});

describe("a log", () => {
  it("can be read by jq, line by line, for any content", async () => {
    await storage.append("log", [
      bytes('{"n":1,"text":"zwölf 🌍"}'),
      bytes('{"n":2}\n'),
      Uint8Array.of(0, 255, 10),
    ]);
    await storage.append("log", [bytes('{"broken":}'), bytes("[3]"), bytes('{ "n": 4 }')]);
    const { stdout } = await run("jq", ["-c", '.n // ."$base64"', file("log.jsonl")]);
    expect(stdout).toBe('1\n"eyJuIjoyfQo="\n"AP8K"\n"eyJicm9rZW4iOn0="\n"WzNd"\n4\n');
    expect((await contents("log.jsonl")).split("\n")).toHaveLength(7);
  });

  it("restores entries that look like its own escapes", async () => {
    const tricky = ['{"$base64":"QUJD"}', '{"$base64":1}', '{"a":1} ', " ", '{"$base64":"', ""];
    await storage.append("log", tricky.map(bytes));
    expect(await entries("log")).toEqual(tricky);
  });

  it("sets a torn last line aside before the next append, and never shows it", async () => {
    await storage.append("log", [bytes('{"n":1}')]);
    await appendFile(file("log.jsonl"), '{"n":2,"te');
    expect(await entries("log")).toEqual(['{"n":1}']);
    expect(await storage.append("log", [])).toBe(1);

    const later = new NodeStorage({ directory });
    expect(await later.append("log", [bytes('{"n":3}')])).toBe(2);
    await later.dispose();
    expect(await entries("log")).toEqual(['{"n":1}', '{"n":3}']);
    expect(await contents("log.jsonl.damaged")).toBe('{"n":2,"te\n');
    expect(await modeOf("log.jsonl.damaged")).toBe(0o600);
  });

  it("never shows a part of a batch", async () => {
    await storage.append("log", [bytes('{"n":1}')]);
    await storage.append("log", [bytes('{"n":2}'), bytes('{"n":3}')]);
    const whole = await contents("log.jsonl");
    for (let length = 8; length < whole.length; length++) {
      await writeFile(file("log.jsonl"), whole.slice(0, length));
      expect(await entries("log"), `cut at ${length}`).toEqual(['{"n":1}']);
    }
    expect(await storage.append("log", [bytes('{"n":4}')])).toBe(2);
    expect(await entries("log")).toEqual(['{"n":1}', '{"n":4}']);
    expect(await contents("log.jsonl.damaged")).toBe(`${whole.slice(8, -1)}\n`);
  });

  it("shows a line changed by a disk or a person as it is, and later ones", async () => {
    await storage.append("log", [bytes('{"n":1}'), bytes('{"n":2}')]);
    await appendFile(file("log.jsonl"), '\0\0\n{"n":4}\n');
    expect(await entries("log")).toEqual(['{"n":1}', '{"n":2}', "\0\0", '{"n":4}']);
    expect(await storage.append("log", [bytes('{"n":5}')])).toBe(5);
  });

  it("notices that another process appended, or deleted and recreated it", async () => {
    const other = new NodeStorage({ directory });
    expect(await storage.append("log", [bytes("a")])).toBe(1);
    expect(await other.append("log", [bytes("b"), bytes("c")])).toBe(3);
    expect(await storage.append("log", [bytes("d")])).toBe(4);
    await other.deleteLog("log");
    expect(await other.append("log", [bytes("e")])).toBe(1);
    expect(await storage.append("log", [bytes("f")])).toBe(2);
    await other.dispose();
  });

  it("is read incrementally, and from the start when it is another file", async () => {
    await storage.append("l", [bytes('{"n":1}'), bytes('{"n":2}')]);
    await storage.append("l", [bytes('{"n":3}')]);
    expect(await entries("l")).toHaveLength(3);
    // Nobody would do so; but whoever reads it again can't overlook it.
    await writeFile(file("l.jsonl"), (await contents("l.jsonl")).replace(" \n", "\n\n"));
    const other = new NodeStorage({ directory });
    await appendFile(file("l.jsonl"), '{"n":4}\n');
    expect(await entries("l", 4)).toEqual(['{"n":4}']);
    await other.deleteLog("l");
    await other.append(
      "l",
      ["a", "b", "c", "d", "e"].map((each) => bytes(JSON.stringify({ each }))),
    );
    expect(await entries("l", 4)).toEqual(['{"each":"d"}', '{"each":"e"}']);
    await other.dispose();
  });

  it("is deleted with its torn lines", async () => {
    await storage.append("log", [bytes("{}")]);
    await appendFile(file("log.jsonl"), "torn");
    await storage.append("log", [bytes("{}")]);
    await storage.deleteLog("log");
    expect(await storedFiles()).toEqual([]);
  });
});

describe("a lease", () => {
  const mark = async (name: string): Promise<string> =>
    (await run("readlink", [file(`${name}.lock`)])).stdout.trim();

  it("is lost within 250 ms, also when a person removes the lock file", async () => {
    const lease = await storage.acquire("name");
    using clock = turnClock();
    const lost = new Promise((resolve) => lease.lost.addEventListener("abort", resolve));
    await rm(file("name.lock"));
    await lost;
    expect(clock.ms()).toBeLessThan(400);
    expect(lease.lost.reason).toMatchObject({ name: "StorageError", code: "FENCED" });
  });

  it("is taken over from a dead process, also when another one has its number", async () => {
    const lease = await storage.acquire("name");
    const parts = (await mark("name")).split(".");
    await lease.release();
    const child = spawn("true");
    await new Promise((resolve) => child.once("exit", resolve));

    const gone = parts.with(3, String(child.pid)).join(".");
    const reused = parts.with(4, "00000000").join(".");
    const rebooted = parts.with(1, "00000000").join(".");
    for (const abandoned of [gone, reused, rebooted]) {
      await symlink(abandoned, file("name.lock"));
      using clock = turnClock();
      const next = await storage.acquire("name");
      expect(clock.ms()).toBeLessThan(500);
      await next.release();
    }
  });

  it("is granted to a waiting process, also on a busy machine", async () => {
    const acquiring = storage.acquire("l", { signal: AbortSignal.timeout(5) });
    // Nothing else runs meanwhile.
    for (const until = performance.now() + 50; performance.now() < until;);
    const lease = await acquiring;
    const waiting = storage.acquire("l", { signal: AbortSignal.timeout(5) });
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
    await lease.release();
    await (await storage.acquire("l")).release();
  });

  it("is not taken over from another machine or container, unless stolen", async () => {
    const lease = await storage.acquire("name");
    const parts = (await mark("name")).split(".");
    await lease.release();
    for (const foreign of [parts.with(0, "00000000"), parts.with(2, "00000000")]) {
      await symlink(foreign.join("."), file("name.lock"));
      const signal = AbortSignal.timeout(300);
      await expect(storage.acquire("name", { signal })).rejects.toMatchObject({ code: "ABORTED" });
      await (await storage.acquire("name", { steal: true })).release();
    }
  });

  it("is released when the storage is closed, and pending waits end", async () => {
    await storage.acquire("name");
    const waiting = storage.acquire("name");
    const refused = expect(waiting).rejects.toMatchObject({ code: "CLOSED" });
    await storage.dispose();
    await refused;
    expect(await storedFiles()).toEqual([]);
    await expect(storage.get("a")).rejects.toMatchObject({ code: "CLOSED" });
  });
});

it("sees the files at the time of the call, also while the thread pool is busy", async () => {
  await storage.append("log", [bytes("a"), bytes("b")]);
  const busy = Array.from({ length: 8 }, () => promisify(pbkdf2)("a", "b", 20_000, 64, "sha512"));
  const read = storage.read("log", 2);
  await storage.append("log", [bytes("c")]);
  const found: string[] = [];
  for await (const { value } of read) found.push(text(value));
  expect(found).toEqual(["b"]);
  await Promise.all(busy);
});

describe("closing", () => {
  it("waits for pending writes", async () => {
    const operations = [
      storage.append("log", [bytes("{}")]),
      storage.set("key", bytes("1")),
      storage.append("log", [bytes("{}")]),
    ];
    await storage.dispose();
    expect(await contents("log.jsonl")).toBe("{}\n{}\n");
    expect(await contents("key.json")).toBe("1");
    await Promise.all(operations);
  });
});
