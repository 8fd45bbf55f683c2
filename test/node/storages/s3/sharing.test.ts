import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { s3FileSystem, type S3FileSystemOptions } from "@robota/files-s3";
import type { FileSystem } from "@robota/runtime";
import { AwsClient } from "aws4fetch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningBucket, runCeph } from "../../../support/servers/ceph.ts";

let store: RunningBucket;
beforeAll(async () => {
  store = await runCeph();
}, 300_000);
afterAll(() => store[Symbol.asyncDispose]());

const count = (length: number): number[] => Array.from({ length }, (_, index) => index);
const text = async (fs: FileSystem, path: string): Promise<string> =>
  new TextDecoder().decode(await fs.readFile(path));

let workspaces = 0;

/** A prefix of its own, opened as often as wanted. */
function workspace() {
  const prefix = `sharing/${(workspaces += 1)}`;
  return {
    prefix,
    open: (options: Partial<S3FileSystemOptions> = {}): FileSystem =>
      s3FileSystem({ ...store, prefix, ...options }),
    /** Keys in the bucket. */
    keys: async (): Promise<string[]> => {
      const client = new AwsClient({ ...store.credentials, service: "s3" });
      const query = new URLSearchParams({ "list-type": "2", prefix: `${prefix}/` });
      const listing = await (await client.fetch(`${store.bucketUrl}/?${query}`)).text();
      return [...listing.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) =>
        key.slice(prefix.length + 1),
      );
    },
  };
}

describe("processes on one workspace", () => {
  it("see at once what another one has stored", async () => {
    const { open } = workspace();
    const [one, other] = [open(), open()];
    await one.mkdir("/src");
    await one.writeFile("/src/a.ts", "one");
    expect(await text(other, "/src/a.ts")).toBe("one");
    await other.rename("/src", "/lib");
    await other.writeFile("/lib/a.ts", "other");
    expect(await one.readdir("/")).toEqual([{ name: "lib", type: "directory" }]);
    expect(await text(one, "/lib/a.ts")).toBe("other");
  });

  it("never lose each other's changes", async () => {
    const { open } = workspace();
    const processes = count(3).map(() => open());
    await Promise.all(
      processes.flatMap((fs, index) =>
        count(40).map((line) => fs.appendFile("/log", `${index}-${line}\n`)),
      ),
    );
    const lines = (await text(open(), "/log")).trimEnd().split("\n");
    expect(lines.toSorted()).toEqual(
      count(3)
        .flatMap((index) => count(40).map((line) => `${index}-${line}`))
        .toSorted(),
    );
    for (const index of count(3)) {
      const own = lines.filter((line) => line.startsWith(`${index}-`));
      expect(own).toEqual(count(40).map((line) => `${index}-${line}`));
    }
  });

  it("refuse nothing that another one has made possible", async () => {
    const { open } = workspace();
    const [one, other] = [open(), open()];
    expect(await other.readdir("/")).toEqual([]);
    await one.mkdir("/made");
    await other.writeFile("/made/file", "x");
    await one.remove("/made", { recursive: true });
    await expect(other.writeFile("/made/file", "y")).rejects.toMatchObject({
      code: "ENOENT",
      path: "/made/file",
    });
  });

  it("lose nothing that was confirmed when they are killed", { timeout: 300_000 }, async () => {
    const { open, prefix } = workspace();
    const confirmed: string[] = [];
    for (const round of count(3)) {
      const workers = await Promise.all(
        count(3).map((index) => startAppending(prefix, `${round}.${index}`, confirmed)),
      );
      const wanted = confirmed.length + 20 + 5 * round;
      await expect.poll(() => confirmed.length, { timeout: 60_000 }).toBeGreaterThan(wanted);
      await Promise.all(workers.map((kill) => kill()));
    }
    const lines = (await text(open(), "/log")).trimEnd().split("\n");
    expect(new Set(lines).size).toBe(lines.length);
    expect(confirmed.filter((line) => !lines.includes(line))).toEqual([]);
  });

  it("go on after a crash of the store's gateway", { timeout: 300_000 }, async () => {
    const { open } = workspace();
    const fs = open();
    await fs.writeFile("/before", "kept");
    await store.restart();
    await fs.writeFile("/after", "x");
    expect(await text(fs, "/before")).toBe("kept");
  });
});

/** Starts a process that appends, and returns how to kill it. */
async function startAppending(
  prefix: string,
  name: string,
  confirmed: string[],
): Promise<() => Promise<unknown>> {
  const { accessKeyId, secretAccessKey } = store.credentials;
  const worker: ChildProcess = spawn(
    process.execPath,
    [
      "--conditions=@robota/source",
      join(import.meta.dirname, "append-worker.ts"),
      store.bucketUrl,
      prefix,
      accessKeyId,
      secretAccessKey,
      name,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  if (!worker.stdout) throw new Error("The process has no output.");
  const ended = once(worker.stdout, "close");
  createInterface({ input: worker.stdout }).on("line", (line) => confirmed.push(line));
  return () => {
    worker.kill("SIGKILL");
    return ended;
  };
}

describe("what is in the bucket", () => {
  it("is opened by few requests, however many changes there were", async () => {
    const { open, keys } = workspace();
    const fs = open();
    await fs.mkdir("/deep/er", { recursive: true });
    await fs.symlink("er", "/deep/link");
    for (const index of count(150)) await fs.writeFile("/deep/er/file", `${index}`);
    await fs.chmod("/deep/er", 0o700);
    await fs.utimes("/deep", 1_000);
    await expect
      .poll(async () => (await keys()).some((key) => key.startsWith("trees/")))
      .toBe(true);

    let requests = 0;
    const other = open({ fetch: (request) => ((requests += 1), fetch(request)) });
    expect(await text(other, "/deep/link/file")).toBe("149");
    expect(requests).toBeLessThan(100);
    expect(await other.stat("/deep/er")).toEqual(await fs.stat("/deep/er"));
    expect(await other.stat("/deep")).toMatchObject({ mtimeMs: 1_000, mode: 0o755 });
    expect(await other.readlink("/deep/link")).toBe("er");
  });

  it("is deleted some time after it was replaced, and nothing else", async () => {
    const { open, keys } = workspace();
    const fs = open({ retentionMs: 1_000 });
    await fs.writeFile("/kept", "from the beginning");
    const [first = "", kept = ""] = await keys();
    const replace = async (): Promise<string[]> => {
      await Promise.all(count(100).map((index) => fs.writeFile("/file", `${index}`)));
      for (const index of count(70)) await fs.writeFile("/file", `${index}`);
      return keys();
    };
    await expect.poll(replace, { timeout: 60_000, interval: 500 }).not.toContain(first);
    expect(await keys()).toContain(kept);
    expect(await text(open(), "/kept")).toBe("from the beginning");
    expect(await text(open(), "/file")).toBe("69");
  });

  it("is read anew by a process that was away for long", async () => {
    const { open, keys } = workspace();
    const sleeper = open({ retentionMs: 1_000 });
    await sleeper.writeFile("/file", "old");
    const [first = ""] = await keys();
    const fs = open({ retentionMs: 1_000 });
    const replace = async (): Promise<string[]> => {
      for (const index of count(70)) await fs.writeFile("/file", `${index}`);
      return keys();
    };
    await expect.poll(replace, { timeout: 60_000, interval: 500 }).not.toContain(first);
    await sleeper.writeFile("/mine", "x");
    expect(await text(sleeper, "/file")).toBe("69");
    expect(await text(fs, "/mine")).toBe("x");
  });

  it("becomes one part where a file was appended to often", async () => {
    const { open } = workspace();
    const fs = open();
    const lines = count(300).map((index) => `line ${index}\n`);
    for (const line of lines) await fs.appendFile("/log", line);
    const requestsOfReading = async (): Promise<number> => {
      let requests = 0;
      const other = open({ fetch: (request) => ((requests += 1), fetch(request)) });
      await other.stat("/log");
      requests = 0;
      expect(await text(other, "/log")).toBe(lines.join(""));
      return requests;
    };
    await expect.poll(requestsOfReading).toBeLessThan(70);
    expect((await fs.stat("/log")).size).toBe(lines.join("").length);
  });

  it("takes one request for a change, and one to see that nobody else has made one", async () => {
    const { open } = workspace();
    const asked: string[] = [];
    const fs = open({ fetch: (request) => (asked.push(request.method), fetch(request)) });
    await fs.writeFile("/first", "x");
    const askedBy = async (work: () => Promise<unknown>): Promise<string> => {
      asked.length = 0;
      await work();
      return asked.join(" ");
    };
    expect(await askedBy(() => fs.writeFile("/a", "x"))).toBe("PUT");
    expect(await askedBy(() => fs.rename("/a", "/b"))).toBe("PUT");
    expect(await askedBy(() => fs.readFile("/b"))).toBe("GET");
    expect(await askedBy(() => fs.readdir("/"))).toBe("GET");
    await fs.mkdir("/made/early", { recursive: true });
    expect(await askedBy(() => fs.mkdir("/made/early", { recursive: true }))).toBe("GET");
    const many = count(50).map((index) => `/many-${index}`);
    expect(await askedBy(() => Promise.all(many.map((path) => fs.writeFile(path, path))))).toBe(
      "PUT",
    );
  });

  it("is in memory for a while", async () => {
    const { open } = workspace();
    await open().writeFile("/file", "x");
    const asked: string[] = [];
    const fs = open({
      maxStaleMs: 60_000,
      fetch: (request) => (asked.push(`${request.method} ${request.url}`), fetch(request)),
    });
    await fs.readFile("/file");
    const before = asked.length;
    for (const _ of count(10)) expect(await text(fs, "/file")).toBe("x");
    expect(asked.slice(before)).toEqual([]);
  });
});

describe("a store that fails", () => {
  it("does nothing twice when an answer was lost", async () => {
    const { open } = workspace();
    const lost = new Set<string>();
    const fs = open({
      fetch: async (request) => {
        const response = await fetch(request);
        if (request.method !== "PUT" || lost.has(request.url)) return response;
        lost.add(request.url);
        throw new TypeError("connection reset");
      },
    });
    for (const index of count(5)) await fs.appendFile("/log", `${index}`);
    expect(await text(open(), "/log")).toBe("01234");
    expect(lost.size).toBeGreaterThanOrEqual(5);
  });

  it("is asked again when an answer breaks off in the middle", async () => {
    const { open } = workspace();
    await open().writeFile("/file", "x".repeat(100_000));
    const broken = new Set<string>();
    const fs = open({
      fetch: async (request) => {
        const response = await fetch(request);
        const isFirst = !broken.has(request.url) && response.ok;
        broken.add(request.url);
        if (!isFirst) return response;
        const body = new ReadableStream({
          pull(controller) {
            controller.enqueue(Uint8Array.of(1));
            controller.error(new TypeError("terminated"));
          },
        });
        return new Response(body, { status: response.status });
      },
    });
    expect(await text(fs, "/file")).toBe("x".repeat(100_000));
    expect(broken.size).toBeGreaterThanOrEqual(2);
  });

  it("is asked again when it is busy", async () => {
    const { open } = workspace();
    let busy = 0;
    const fs = open({
      fetch: (request) =>
        busy++ % 2 === 0
          ? Promise.resolve(new Response("<Code>SlowDown</Code>", { status: 503 }))
          : fetch(request),
    });
    await fs.writeFile("/file", "x");
    expect(await text(fs, "/file")).toBe("x");
  });

  it.each([
    [
      "a wrong key",
      { credentials: { accessKeyId: "robota", secretAccessKey: "sk-wrong" } },
      "EACCES",
    ],
    ["an unknown bucket", { bucketUrl: "missing" }, "EIO"],
    ["an address where nothing listens", { bucketUrl: "http://127.0.0.1:9/files" }, "EIO"],
  ])(
    "says so in the error of the file: %s",
    async (_, options: Partial<S3FileSystemOptions>, code) => {
      const { open } = workspace();
      const bucketUrl =
        options.bucketUrl === "missing" ? store.bucketUrl.replace(/files$/, "missing") : undefined;
      const fs = open({ ...options, ...(bucketUrl !== undefined && { bucketUrl }) });
      const error: unknown = await fs.readFile("/a/file").catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: "FileSystemError", code, path: "/a/file" });
      expect(error).toHaveProperty("hint", expect.stringMatching(/credentials|bucket/));
      expect(JSON.stringify(error) + String(error)).not.toContain("sk-wrong");
    },
  );

  it("is refused when it replaces objects in spite of a condition, and when it knows none", async () => {
    const { open } = workspace();
    const ignoring = open({
      fetch: async (request) => {
        const response = await fetch(request);
        return response.status === 412 ? new Response() : response;
      },
    });
    await expect(ignoring.writeFile("/file", "x")).rejects.toMatchObject({
      code: "EIO",
      hint: expect.stringContaining("conditional writes"),
    });
    const unable = workspace().open({
      fetch: (request) =>
        request.method === "PUT"
          ? Promise.resolve(new Response("<Code>NotImplemented</Code>", { status: 501 }))
          : fetch(request),
    });
    await expect(unable.writeFile("/file", "x")).rejects.toMatchObject({
      code: "EIO",
      hint: expect.stringContaining("conditional writes"),
    });
  });

  it("is not named with the keys that an address holds", () => {
    for (const bucketUrl of ["https://key:sk-hidden@host/b", "https://host/b?X-Sig=sk-hidden"])
      expect(() => workspace().open({ bucketUrl })).toThrow(/^(?!.*sk-hidden).*bucketUrl/);
  });

  it.each([
    ["bucketUrl", { bucketUrl: "s3://bucket" }],
    ["prefix", { prefix: "/absolute" }],
    ["prefix", { prefix: "a/../b" }],
    ["credentials", { credentials: { accessKeyId: "a", secretAccessKey: "" } }],
    ["maxStaleMs", { maxStaleMs: Number.NaN }],
    ["retentionMs", { retentionMs: 0 }],
  ])("is not looked for with another form of %s", (name, options) => {
    expect(() => workspace().open(options)).toThrow(name);
  });
});
