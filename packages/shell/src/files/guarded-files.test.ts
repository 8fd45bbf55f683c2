import { describe, expect, it } from "vitest";
import type { FileSystem } from "@robota/runtime/ports";
import { MemoryFileSystem, OverlayFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "../virtual-shell.ts";
import { guardFiles } from "./guarded-files.ts";

const files = {
  "/open/file": "open",
  "/open/sub/below": "open",
  "/closed/file": "closed",
  "/closed/sub/below": "closed",
  "/closed/sub/more": "closed",
  "/from/moved": "mine",
};

const closed = (path: string): string | undefined =>
  /^\/closed(?:\/|$)/.test(path) ? "closed" : undefined;

interface Kind {
  name: string;
  create: () => FileSystem;
}

/** A port with the required methods only, without support for `noFollow`. */
function plain(fs: FileSystem): FileSystem {
  return {
    readFile: (path) => fs.readFile(path),
    writeFile: (path, data) => fs.writeFile(path, data),
    appendFile: (path, data) => fs.appendFile(path, data),
    stat: (path) => fs.stat(path),
    lstat: (path) => fs.lstat(path),
    readdir: (path) => fs.readdir(path),
    mkdir: (path, options) => fs.mkdir(path, options),
    remove: (path, options) => fs.remove(path, options),
    rename: (from, to) => fs.rename(from, to),
    symlink: (target, path) => fs.symlink(target, path),
    readlink: (path) => fs.readlink(path),
    realpath: (path) => fs.realpath(path),
    chmod: (path, mode) => fs.chmod(path, mode),
    utimes: (path, mtimeMs) => fs.utimes(path, mtimeMs),
  };
}

const kinds: Kind[] = [
  { name: "memory", create: () => new MemoryFileSystem({ files }) },
  { name: "an overlay", create: () => new OverlayFileSystem(new MemoryFileSystem({ files })) },
  {
    name: "an overlay over one",
    create: () => new OverlayFileSystem(new OverlayFileSystem(new MemoryFileSystem({ files }))),
  },
  {
    name: "an overlay over files that honour nothing",
    create: () => new OverlayFileSystem(plain(new MemoryFileSystem({ files }))),
  },
  {
    name: "files that honour nothing",
    create: () => plain(new MemoryFileSystem({ files })),
  },
];

type Act = (fs: FileSystem, directory: string) => Promise<unknown>;

/** Operations, each at a path that the rules see below /open. */
const acts: Record<string, Act> = {
  readFile: (fs, at) => fs.readFile(`${at}/file`),
  writeFile: (fs, at) => fs.writeFile(`${at}/file`, "x"),
  "writeFile of a new one": (fs, at) => fs.writeFile(`${at}/new`, "x"),
  appendFile: (fs, at) => fs.appendFile(`${at}/file`, "x"),
  readdir: (fs, at) => fs.readdir(`${at}/sub`),
  mkdir: (fs, at) => fs.mkdir(`${at}/new`),
  "mkdir of several": (fs, at) => fs.mkdir(`${at}/new/er`, { recursive: true }),
  remove: (fs, at) => fs.remove(`${at}/file`),
  "remove of a tree": (fs, at) => fs.remove(`${at}/sub`, { recursive: true }),
  "rename out of it": (fs, at) => fs.rename(`${at}/file`, "/from/file"),
  "rename of a directory out of it": (fs, at) => fs.rename(`${at}/sub`, "/from/sub"),
  "rename into it": (fs, at) => fs.rename("/from/moved", `${at}/moved`),
  symlink: (fs, at) => fs.symlink("x", `${at}/link`),
  chmod: (fs, at) => fs.chmod(`${at}/file`, 0o600),
  utimes: (fs, at) => fs.utimes(`${at}/file`, 1000),
};

async function treeOf(fs: FileSystem, path: string): Promise<unknown> {
  const { type, mode, mtimeMs } = await fs.lstat(path);
  if (type === "file") {
    return { mode, mtimeMs, text: new TextDecoder().decode(await fs.readFile(path)) };
  }
  const entries = await fs.readdir(path);
  return Promise.all(entries.map(async ({ name }) => [name, await treeOf(fs, `${path}/${name}`)]));
}

/** The outcome of an operation, with `swap` run as soon as the rules were checked for the path `asked`. */
async function actDuring(
  fs: FileSystem,
  act: Act,
  directory: string,
  asked: RegExp,
  swap: () => Promise<unknown>,
): Promise<unknown> {
  let swapped: Promise<unknown> | undefined;
  const guarded = guardFiles(fs, {
    refusesFile(path) {
      if (!swapped && asked.test(path)) swapped = swap();
      return closed(path);
    },
  });
  const outcome = await act(guarded, directory).then(
    (value) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value),
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
  );
  expect(swapped, "the swap").toBeDefined();
  await swapped;
  return outcome;
}

describe.each(kinds)("guarded files over $name", ({ create }) => {
  it.each(Object.keys(acts))("allows no link swap between the check and %s", async (name) => {
    const fs = create();
    await fs.symlink("open", "/way");
    const before = await treeOf(fs, "/closed");
    // Replaces the directory that was checked.
    const outcome = await actDuring(fs, acts[name]!, "/way", /^\/open\//, async () => {
      const aside = fs.rename("/open", "/aside");
      const link = fs.symlink("closed", "/open");
      await Promise.all([aside, link]);
    });
    expect(outcome).toBe("EACCES");
    expect(await treeOf(fs, "/closed")).toEqual(before);
  });

  it.each(Object.keys(acts))(
    "acts on the checked entry, not on the path, with %s",
    async (name) => {
      const fs = create();
      await fs.symlink("open", "/way");
      const before = await treeOf(fs, "/closed");
      // The given link leads to the closed directory by now, and the checked path is unchanged.
      const outcome = await actDuring(fs, acts[name]!, "/way", /^\/open\//, async () => {
        const gone = fs.remove("/way");
        const link = fs.symlink("closed", "/way");
        await Promise.all([gone, link]);
      });
      expect(await treeOf(fs, "/closed")).toEqual(before);
      // The second directory is made at the path's current target, which is refused.
      expect(outcome === "EACCES").toBe(name === "mkdir of several");
      if (name === "readFile") expect(outcome).toBe("open");
      if (name === "readdir") expect(outcome).toHaveLength(1);
      if (name === "writeFile") expect(await fs.readFile("/open/file")).toHaveLength(1);
    },
  );

  it("moves no directory to a place where one of its files is denied", async () => {
    const fs = create();
    const guarded = guardFiles(fs, {
      refusesFile: (path, kind) =>
        path === "/target/sub/below" && kind === "write" ? "closed" : undefined,
    });
    await expect(guarded.rename("/open", "/target")).rejects.toMatchObject({ code: "EACCES" });
    expect((await fs.readdir("/open")).map(({ name }) => name)).toEqual(["file", "sub"]);
  });

  it("writes nothing into a directory while it is moved", async () => {
    const fs = create();
    const guarded = guardFiles(fs, {
      refusesFile: (path, kind) =>
        path.startsWith("/target/kept") && kind === "write" ? "closed" : undefined,
    });
    const results = await Promise.allSettled([
      guarded.rename("/open", "/target"),
      guarded.writeFile("/open/kept", "x"),
      guarded.mkdir("/open/sub/deep"),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect((await fs.readdir("/target")).map(({ name }) => name)).toEqual(["file", "sub"]);
  });

  it("gives up on links that keep changing", async () => {
    const fs = create();
    let flips = 0;
    const guarded = guardFiles(fs, {
      refusesFile(path) {
        if (path !== "/one/file" && path !== "/two/file") return undefined;
        const [real, link] = path === "/one/file" ? ["one", "two"] : ["two", "one"];
        flips += 1;
        void fs.remove(`/${link}`, { recursive: true, force: true });
        void fs.rename(`/${real}`, `/${link}`);
        void fs.symlink(link!, `/${real}`);
        return undefined;
      },
    });
    await fs.mkdir("/one");
    await fs.writeFile("/one/file", "x");
    await expect(guarded.writeFile("/one/file", "y")).rejects.toMatchObject({ code: "EBUSY" });
    expect(flips).toBeGreaterThan(5);
    expect(flips).toBeLessThan(100);
  });
});

it.each(kinds.slice(0, 3))(
  "prevents a line from racing past a rule by links, over $name",
  async ({ create }) => {
    const fs = create();
    const shell = new VirtualShell({ fs });
    const line = `
      ln -s open P
      for i in {1..60}; do ln -sfn closed P; ln -sfn open P; done |
      for i in {1..120}; do cat P/file; echo; echo x > P/new$i; done`;
    const result = await shell.exec(line, {
      cwd: "/",
      rules: { refusesFile: closed, refusesCommand: () => undefined },
    });
    expect(result.stdout).toContain("open");
    expect(result.stdout).not.toContain("closed");
    expect((await fs.readdir("/closed")).map(({ name }) => name)).toEqual(["file", "sub"]);
  },
);
