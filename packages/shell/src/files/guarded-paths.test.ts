import { type AccessRules, type FileSystem, FileSystemError } from "@robota/runtime/ports";
import { MemoryFileSystem, OverlayFileSystem } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { guardFiles, guardGitFiles, guardWorktree, refusesWorktreeFile } from "./guarded-files.ts";

type Act = (fs: FileSystem) => Promise<unknown>;

const links: Readonly<Record<string, string>> = {
  "/way": "open",
  "/again": "way",
  "/in": "open/sub",
  "/dots": "./open/./sub/../new",
  "/out": "in/../new",
  "/far": "/way/new",
  "/chain": "dots",
  "/loop": "loop",
  "/shut": "closed/new",
};

const bases = {
  memory: () => new MemoryFileSystem({ files: tree }),
  "an overlay": () => new OverlayFileSystem(new MemoryFileSystem({ files: tree })),
};

const tree = {
  "/open/file": "open",
  "/open/sub/below": "below",
  "/closed/file": "closed",
};

async function withLinks(create: () => FileSystem): Promise<FileSystem> {
  const fs = create();
  for (const [path, target] of Object.entries(links)) await fs.symlink(target, path);
  return fs;
}

/** The outcome of an operation: its result as text, or the code of its error. */
async function outcomeOf(fs: FileSystem, act: Act): Promise<unknown> {
  try {
    const result = await act(fs);
    return result instanceof Uint8Array ? new TextDecoder().decode(result) : result;
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}

async function namesBelow(fs: FileSystem, path: string): Promise<string[]> {
  const names: string[] = [];
  for (const { name, type } of await fs.readdir(path)) {
    const place = path === "/" ? `/${name}` : `${path}/${name}`;
    names.push(place);
    if (type === "directory") names.push(...(await namesBelow(fs, place)));
  }
  return names.sort();
}

describe.each(Object.entries(bases))("over %s", (_, create) => {
  it.each<[string, Act, readonly string[]]>([
    ["a file", (fs) => fs.readFile("/open/file"), ["read /open/file"]],
    ["a link", (fs) => fs.readFile("/way/file"), ["read /way/file", "read /open/file"]],
    ["a link to a link", (fs) => fs.readdir("/again"), ["read /again", "read /open"]],
    ["a new file", (fs) => fs.writeFile("/way/new", ""), ["write /way/new", "write /open/new"]],
    ["a dangling link", (fs) => fs.writeFile("/dots", ""), ["write /dots", "write /open/new"]],
    [
      "the parent of a link's target",
      (fs) => fs.writeFile("/out", ""),
      ["write /out", "write /open/new"],
    ],
    ["an absolute link", (fs) => fs.appendFile("/far", ""), ["write /far", "write /open/new"]],
    ["links in a row", (fs) => fs.writeFile("/chain", ""), ["write /chain", "write /open/new"]],
    ["a link itself", (fs) => fs.remove("/way"), ["write /way"]],
    ["a new link", (fs) => fs.symlink("x", "/way/x"), ["write /way/x", "write /open/x"]],
    ["a file behind dots", (fs) => fs.readFile("/closed/../open/file"), ["read /open/file"]],
    ["a directory that is there", (fs) => fs.mkdir("/way/sub", { recursive: true }), []],
    ["the root", (fs) => fs.mkdir("/", { recursive: true }), []],
    [
      "new directories",
      (fs) => fs.mkdir("/way/a/b", { recursive: true }),
      ["write /way/a", "write /open/a", "write /way/a/b", "write /open/a/b"],
    ],
    [
      "a move",
      (fs) => fs.rename("/way/file", "/closed/file"),
      [
        "read /way/file",
        "write /way/file",
        "read /open/file",
        "write /open/file",
        "write /closed/file",
      ],
    ],
    [
      "a tree",
      (fs) => fs.remove("/way/sub", { recursive: true }),
      ["write /way/sub", "write /open/sub", "write /way/sub/below", "write /open/sub/below"],
    ],
    [
      "a file as a tree",
      (fs) => fs.remove("/open/file", { recursive: true }),
      ["write /open/file"],
    ],
    ["a directory as a file", (fs) => fs.remove("/open/sub"), ["write /open/sub"]],
    [
      "facts",
      async (fs) => [
        await fs.stat("/way"),
        await fs.lstat("/way"),
        await fs.readlink("/way"),
        await fs.realpath("/way"),
      ],
      [],
    ],
  ])(
    "asks about %s by each of its names, and does what it is asked for",
    async (_what, act, asked) => {
      const [bare, fs] = [await withLinks(create), await withLinks(create)];
      const questions: string[] = [];
      const guarded = guardFiles(fs, {
        refusesFile: (path, kind) => void questions.push(`${kind} ${path}`),
      });
      const outcome = await outcomeOf(guarded, act);
      expect(questions).toEqual(asked);
      const withoutTimes = (value: unknown): unknown =>
        JSON.parse(
          JSON.stringify(value ?? null, (key, one: unknown) => (key === "mtimeMs" ? 0 : one)),
        );
      expect(withoutTimes(outcome)).toEqual(withoutTimes(await outcomeOf(bare, act)));
      expect(await namesBelow(fs, "/")).toEqual(await namesBelow(bare, "/"));
    },
  );

  it.each<[string, Act, string]>([
    ["a loop of links", (fs) => fs.writeFile("/loop", ""), "ELOOP"],
    ["a link into a denied directory", (fs) => fs.writeFile("/shut", ""), "EACCES"],
    ["directories below a file", (fs) => fs.mkdir("/open/file/x", { recursive: true }), "ENOTDIR"],
    [
      "a directory in place of a file",
      (fs) => fs.mkdir("/open/file", { recursive: true }),
      "EEXIST",
    ],
    ["a directory that is there", (fs) => fs.mkdir("/open/sub"), "EEXIST"],
    ["a file that is missing", (fs) => fs.readFile("/missing"), "ENOENT"],
    ["a move of what is missing", (fs) => fs.rename("/missing", "/open/x"), "ENOENT"],
    ["a name that is too long", (fs) => fs.writeFile(`/${"x".repeat(5_000)}`, ""), "ENAMETOOLONG"],
  ])("fails for %s", async (_what, act, code) => {
    const fs = await withLinks(create);
    const before = await namesBelow(fs, "/");
    const refused: string[] = [];
    const guarded = guardFiles(
      fs,
      { refusesFile: (path) => (path.startsWith("/closed") ? "closed" : undefined) },
      (path, reason) => refused.push(`${path}: ${reason}`),
    );
    expect(await outcomeOf(guarded, act)).toBe(code);
    expect(refused).toEqual(code === "EACCES" ? ["/closed/new: closed"] : []);
    expect(await namesBelow(fs, "/")).toEqual(before);
  });
});

it.each<[string, Act, string | undefined]>([
  ["directory", (fs) => fs.mkdir("/open/new"), undefined],
  ["file", (fs) => fs.writeFile("/open/new", ""), "EEXIST"],
])("makes directories while another program makes a %s of that name", async (_, other, code) => {
  const fs = bases.memory();
  let made: Promise<unknown> | undefined;
  const guarded = guardFiles(fs, { refusesFile: () => void (made ??= other(fs)) });
  expect(await outcomeOf(guarded, (at) => at.mkdir("/open/new", { recursive: true }))).toBe(code);
  expect(made).toBeDefined();
});

/** Files that resolve no path, so that every name on the way is followed here. */
async function unresolved(): Promise<FileSystem> {
  const fs = await withLinks(bases.memory);
  fs.isCanonicalPath = () => false;
  fs.realpath = (path) => Promise.reject(new FileSystemError("ENOENT", path));
  return fs;
}

it.each([
  ["/dots", "/open/new"],
  ["/far", "/open/new"],
  ["/open/sub/../file", "/open/file"],
])("follows the links of %s to %s in files that resolve no path", async (path, target) => {
  const questions: string[] = [];
  const guarded = guardFiles(await unresolved(), {
    refusesFile: (asked) => void questions.push(asked),
  });
  await guarded.chmod(path, 0o600).catch(() => undefined);
  expect(questions.at(-1)).toBe(target);
  expect(questions.slice(0, -1)).toEqual(path in links ? [path] : []);
});

it("ends in a loop of links in files that resolve no path", async () => {
  const guarded = guardFiles(await unresolved(), { refusesFile: () => undefined });
  expect(await outcomeOf(guarded, (fs) => fs.writeFile("/loop", ""))).toBe("ELOOP");
});

it("passes on the failure of files that break", async () => {
  const fs = bases.memory();
  fs.realpath = () => Promise.reject(new Error("broken"));
  fs.stat = () => Promise.reject(new Error("broken"));
  fs.isCanonicalPath = () => false;
  const guarded = guardFiles(fs, { refusesFile: () => undefined });
  await expect(guarded.readFile("/open/file")).rejects.toThrow("broken");
  await expect(guarded.mkdir("/open/x/y", { recursive: true })).rejects.toThrow("broken");
});

const rules = (own: Partial<AccessRules>): AccessRules => ({
  refusesFile: (path, kind) => (kind === "write" ? `no ${path}` : undefined),
  refusesCommand: () => undefined,
  ...own,
});

describe("the files of git", () => {
  it("have rules of their own, where there are some", async () => {
    expect(guardGitFiles(bases.memory(), rules({}))).toBeUndefined();
    const guarded = guardGitFiles(
      bases.memory(),
      rules({
        refusesGitFile: (path, kind) => (path === "/open/file" ? `${kind} by git` : undefined),
      }),
    );
    await expect(guarded?.readFile("/open/file")).rejects.toMatchObject({ hint: "read by git" });
    await guarded?.writeFile("/open/other", "x");
    await expect(guarded?.writeFile("/open/file", "")).rejects.toMatchObject({
      hint: "write by git",
    });
  });

  it("are written in a working tree by the rule for it, and read by that of any file", async () => {
    const asked: unknown[] = [];
    const own = rules({
      refusesFile: (path, kind) => (kind === "read" ? `unread ${path}` : "unwritten"),
      refusesWorktreeFile: (path, facts) => {
        asked.push([path, facts]);
        return path === "/open/new" ? undefined : "not here";
      },
    });
    const guarded = guardWorktree(bases.memory(), own, "/open");
    await guarded.writeFile("/open/new", "x");
    await expect(guarded.writeFile("/open/file", "")).rejects.toMatchObject({ hint: "not here" });
    await expect(guarded.readFile("/open/file")).rejects.toMatchObject({
      hint: "unread /open/file",
    });
    expect(asked).toEqual([
      ["/open/new", { cloned: "/open" }],
      ["/open/file", { cloned: "/open" }],
    ]);
  });

  it("are written by the rule of any file where a working tree has none", () => {
    expect(refusesWorktreeFile(rules({}), "/a", undefined)).toBe("no /a");
    expect(refusesWorktreeFile(rules({ refusesWorktreeFile: () => "own" }), "/a", "/")).toBe("own");
    expect(
      refusesWorktreeFile(rules({ refusesWorktreeFile: () => undefined }), "/a", "/"),
    ).toBeUndefined();
  });
});
