import { browserPlatform, type BrowserPlatformOptions } from "@robota/adapters-web";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { settled } from "./records.ts";

let workspace: string;
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

beforeEach(() => {
  workspace = crypto.randomUUID();
});

function open(options: BrowserPlatformOptions = {}) {
  const platform = browserPlatform({ workspace, ...options });
  onTestFinished(() => platform.dispose());
  return platform;
}

it("opens lazily, and only what is used", async () => {
  const names = async (): Promise<string[]> =>
    (await indexedDB.databases())
      .map(({ name }) => name ?? "")
      .filter((name) => name.includes(workspace));
  const { fs, storage } = open();
  expect(await names()).toEqual([]);
  await storage.get("key");
  expect(await names()).toEqual([`robota-storage:${workspace}`]);
  await fs.stat("/");
  expect(await names()).toHaveLength(2);
});

it("creates a home and a temporary directory in a new workspace", async () => {
  const { fs, home } = open();
  expect(await fs.readdir(home)).toEqual([]);
  expect(await fs.readdir("/tmp")).toEqual([]);
  await fs.remove("/tmp");
  await fs.dispose();
  await expect(open().fs.stat("/tmp")).rejects.toMatchObject({ code: "ENOENT" });
});

it("runs commands over the files of the workspace", async () => {
  const { fs, shell, home } = open();
  await fs.writeFile(`${home}/in.txt`, "b\na\n");
  const result = await shell.exec("sort in.txt > out.txt; wc -l < out.txt; echo ~", { cwd: home });
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(home) });
  expect(text(await fs.readFile(`${home}/out.txt`))).toBe("a\nb\n");
});

it("takes clock, ids, network, environment and shell from its options", async () => {
  const platform = open({
    now: () => 1_000_000,
    randomUUID: () => "id",
    env: { KEY: "value" },
    fetch: async () => new Response("answer"),
    shell: () => ({
      kind: "virtual",
      async exec(command) {
        return { exitCode: 0, stdout: command, stderr: "", timedOut: false, truncated: false };
      },
    }),
  });
  expect([platform.now(), platform.randomUUID()]).toEqual([1_000_000, "id"]);
  expect([platform.env("KEY"), platform.env("OTHER"), platform.env("toString")]).toEqual([
    "value",
    undefined,
    undefined,
  ]);
  expect(await (await platform.fetch("https://example.test/")).text()).toBe("answer");
  expect((await platform.shell.exec("echo", { cwd: "/" })).stdout).toBe("echo");
  await platform.fs.writeFile("/file", "x");
  expect((await platform.fs.stat("/file")).mtimeMs).toBe(1_000_000);
});

it("keeps files, values and logs for the workspace's next platform, and isolates workspaces", async () => {
  const first = open();
  await first.fs.writeFile("/file", "text");
  await first.storage.set("key", Uint8Array.of(1));
  await first.storage.append("log", [Uint8Array.of(2)]);
  const lease = await first.storage.acquire("name");
  await Promise.all([first.dispose(), first.dispose()]);
  await lease.release();
  await expect(first.fs.readdir("/")).rejects.toMatchObject({ code: "EIO" });
  await expect(first.storage.get("key")).rejects.toMatchObject({ code: "CLOSED" });
  await expect(first.storage.acquire("name")).rejects.toMatchObject({ code: "CLOSED" });

  const second = open();
  expect(text(await second.fs.readFile("/file"))).toBe("text");
  expect(await second.storage.get("key")).toEqual(Uint8Array.of(1));
  expect(await second.storage.append("log", [Uint8Array.of(3)])).toBe(2);
  await using _lease = await second.storage.acquire("name");

  const other = open({ workspace: crypto.randomUUID() });
  await expect(other.fs.readFile("/file")).rejects.toMatchObject({ code: "ENOENT" });
  expect(await other.storage.keys("")).toEqual([]);
  await using _same = await other.storage.acquire("name");
});

it("rejects pending lease requests when it is disposed", async () => {
  const platform = open();
  await using _held = await open().storage.acquire("name");
  const waiting = platform.storage.acquire("name");
  const refused = expect(waiting).rejects.toMatchObject({ code: "CLOSED" });
  await platform.dispose();
  await refused;
});

it("detects that the files of a workspace have vanished", async () => {
  const before = Date.now();
  const first = open();
  expect((await first.storageState()).lostSince).toBeUndefined();
  await first.dispose();
  const again = open();
  expect((await again.storageState()).lostSince).toBeUndefined();
  await again.dispose();

  await settled(indexedDB.deleteDatabase(`robota-fs:${workspace}`));
  const later = open();
  const { lostSince, persisted, usage } = await later.storageState();
  expect(lostSince).toBeGreaterThanOrEqual(before);
  expect([typeof persisted, typeof usage]).toEqual(["boolean", "number"]);
  await later.dispose();
  expect((await open().storageState()).lostSince).toBeUndefined();
});

it("refuses misspelt options, so that none is missing in silence", () => {
  const create = (options: object) => browserPlatform(options);
  expect(() => create({ workSpaces: "notes" })).toThrow(
    expect.objectContaining({ hint: "Did you mean workspace?" }),
  );
  expect(() => create({ shell: "virtual" })).toThrow("The value of shell is of type string");
});
